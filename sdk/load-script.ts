/** Loads one more script of ours, with what it needs to know. */
export function loadScript(src: string, url: string): HTMLScriptElement {
  const script = document.createElement('script');
  script.src = src;
  script.dataset.url = url;
  document.documentElement.append(script);
  return script;
}
