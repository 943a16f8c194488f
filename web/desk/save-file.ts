/** Hands a text to the person as a file. */
export function saveFile(name: string, text: string): void {
  const type = name.endsWith(".json") ? "application/json" : "application/jsonl";
  const url = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}
