/** 300 s: «no more than a few minutes» (RFC 7519 section 4.1.4). */
export const MAX_CLOCK_SKEW_SECONDS = 300;
