let loading: Promise<boolean> | undefined;

/**
 * Loads what errors and the service's own sentences say in the language of the person. The first screen needs few of
 * them, so they do not delay it. English needs no file. Without the file, errors are in English, which is better than to
 * say nothing.
 */
export function loadErrorTexts(): Promise<boolean> {
  const file = globalThis.document?.querySelector<HTMLMetaElement>('meta[name="error-texts"]')?.content;
  if (!file) return Promise.resolve(false);
  loading ??= import(file).then(
    () => true,
    () => {
      loading = undefined;
      return false;
    },
  );
  return loading;
}
