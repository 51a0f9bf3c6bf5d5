package dev.holdfast.cli.bench;

/** The looks of the page: light and dark, wide and narrow. */
final class HtmlStyle {
  static final String CSS =
      """
      :root {
        color-scheme: light dark;
        --page: #f6f7f9; --card: #ffffff; --ink: #1b2330; --quiet: #5a6573; --line: #dde2e8;
        --own: #2459c9; --baseline: #7a8594; --system: #0d7a6f; --other: #c2540a; --warn: #a3260f;
      }
      @media (prefers-color-scheme: dark) {
        :root {
          --page: #12161c; --card: #1b212a; --ink: #e6eaf0; --quiet: #9aa6b5; --line: #303946;
          --own: #6f9dff; --baseline: #98a3b2; --system: #35c4b3; --other: #ff9a52; --warn: #ff8f78;
        }
      }
      * { box-sizing: border-box; }
      body {
        margin: 0; padding: 1.25rem; background: var(--page); color: var(--ink);
        font: 16px/1.5 system-ui, sans-serif; overflow-wrap: anywhere;
      }
      main { max-width: 70rem; margin: 0 auto; }
      h1 { font-size: 1.6rem; line-height: 1.2; margin: 0 0 .25rem; }
      h2 { font-size: 1.2rem; margin: 2.25rem 0 .5rem; }
      h3 { font-size: 1rem; margin: 1.25rem 0 .1rem; }
      h4 { font-size: .9rem; margin: 0 0 .6rem; font-weight: 600; }
      p { margin: .25rem 0 .75rem; }
      .quiet { color: var(--quiet); font-size: .9rem; }
      .warn { color: var(--warn); font-weight: 600; }
      .cards {
        display: grid; gap: .9rem;
        grid-template-columns: repeat(auto-fit, minmax(min(100%, 24rem), 1fr));
      }
      .card {
        background: var(--card); border: 1px solid var(--line); border-radius: .6rem;
        padding: .9rem 1rem;
      }
      .row + .row { margin-top: .65rem; }
      .head {
        display: flex; flex-wrap: wrap; justify-content: space-between; gap: 0 .75rem;
        font-size: .88rem;
      }
      .value { font-variant-numeric: tabular-nums; }
      .value small { color: var(--quiet); font-size: .8rem; }
      .tag { color: var(--warn); font-size: .8rem; font-weight: 600; }
      svg { display: block; width: 100%; height: 14px; overflow: visible; }
      .track { fill: var(--line); opacity: .55; }
      .range { stroke: var(--ink); stroke-width: 1.5; }
      .own { fill: var(--own); stroke: var(--own); }
      .baseline { fill: var(--baseline); stroke: var(--baseline); }
      .system { fill: var(--system); stroke: var(--system); }
      .other { fill: var(--other); stroke: var(--other); }
      rect { stroke: none; }
      .second { opacity: .45; }
      .key { display: inline-flex; align-items: center; gap: .4rem; margin-right: 1.1rem; }
      .key svg { width: 14px; height: 10px; }
      dl { display: grid; grid-template-columns: auto 1fr; gap: .15rem 1rem; margin: .5rem 0; }
      dt { color: var(--quiet); }
      dd { margin: 0; }
      .scroll { overflow-x: auto; border: 1px solid var(--line); border-radius: .6rem; }
      table {
        border-collapse: collapse; background: var(--card); font-size: .82rem; width: 100%;
        font-variant-numeric: tabular-nums; overflow-wrap: normal;
      }
      th, td {
        padding: .4rem .6rem; text-align: right; white-space: nowrap;
        border-bottom: 1px solid var(--line);
      }
      th { color: var(--quiet); font-weight: 600; vertical-align: bottom; }
      th:first-child, td:first-child {
        position: sticky; left: 0; background: var(--card); text-align: left; font-weight: 600;
      }
      td.words { text-align: left; }
      tr:last-child td { border-bottom: none; }
      .definitions { white-space: pre-line; font-size: .9rem; }
      """;

  private HtmlStyle() {}
}
