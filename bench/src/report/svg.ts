/** The style of every chart: readable on a light and on a dark page. */
export const palette = `text { font: 13px system-ui, sans-serif; fill: #24292f }
.title { font-weight: 600 }
.own { fill: #1a7f37 }
.other { fill: #8c959f }
.line0 { stroke: #1a7f37 }
.line1 { stroke: #8c959f }
.line2 { stroke: #0969da }
.line3 { stroke: #bc4c00 }
@media (prefers-color-scheme: dark) {
text { fill: #e6edf3 }
.own { fill: #3fb950 }
.other { fill: #6e7681 }
.line0 { stroke: #3fb950 }
.line2 { stroke: #58a6ff }
.line3 { stroke: #f0883e }
}`;

export function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}
