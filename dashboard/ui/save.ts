/** Downloads bytes as a file. */
export function saveFile(name: string, bytes: Blob): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(bytes);
  link.download = name;
  link.click();
  // Not immediately: the browser reads the URL after the click.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
