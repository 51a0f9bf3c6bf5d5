package dev.holdfast.cli.bench;

import dev.holdfast.cli.text.Words;
import java.io.PrintWriter;
import java.io.Serializable;
import java.io.StringWriter;

/**
 * Why a cell's process found nothing.
 *
 * @param summary the failure's simple name and message
 * @param stack its stack as text
 */
record CellFailure(String summary, String stack) implements Serializable {
  CellFailure(Throwable failure) {
    this(Words.summary(failure), stackOf(failure));
  }

  private static String stackOf(Throwable failure) {
    StringWriter text = new StringWriter();
    failure.printStackTrace(new PrintWriter(text));
    return text.toString();
  }
}
