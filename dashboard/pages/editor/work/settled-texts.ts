import { isHtml } from '../../files/kind.ts';

/** The unsaved texts as the preview shows them: updated a moment after the last key. */
export class SettledTexts {
  all: ReadonlyMap<string, string>;
  /** Those that documents can refer to. The same map while they do not change. */
  files: ReadonlyMap<string, string>;

  constructor(texts: ReadonlyMap<string, string>) {
    this.all = texts;
    this.files = withoutHtml(texts);
  }

  update(texts: ReadonlyMap<string, string>): void {
    this.all = texts;
    const files = withoutHtml(texts);
    if (!isSame(files, this.files)) this.files = files;
  }
}

const withoutHtml = (texts: ReadonlyMap<string, string>) =>
  new Map([...texts].filter(([path]) => !isHtml(path)));

const isSame = (a: ReadonlyMap<string, string>, b: ReadonlyMap<string, string>) =>
  a.size === b.size && [...a].every(([path, text]) => b.get(path) === text);
