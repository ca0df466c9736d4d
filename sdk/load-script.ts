/** Loads another script of ours, which reads the URL from its element. */
export function loadScript(src: string, url: string): HTMLScriptElement {
  const script = document.createElement('script');
  script.src = src;
  script.dataset.url = url;
  document.documentElement.append(script);
  return script;
}
