/** Saves a file from the page, as a download. */
export function saveFile(content: Blob, name: string): void {
  const address = URL.createObjectURL(content);
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  // The browser reads the content after this function has returned.
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}
