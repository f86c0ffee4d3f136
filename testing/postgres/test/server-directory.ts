/** The directory in which an embedded server keeps everything; its socket is there, so it is the host of its URL. */
export function directoryOf(url: string): string {
  return decodeURIComponent(new URL(url).hostname);
}
