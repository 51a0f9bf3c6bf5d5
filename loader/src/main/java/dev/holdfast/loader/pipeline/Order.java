package dev.holdfast.loader.pipeline;

/** In which order results of concurrent work go on. */
public enum Order {
  /** In the order of their inputs; a slow item holds back a bounded number of later ones. */
  INPUT,
  /** As they are finished. */
  COMPLETION
}
