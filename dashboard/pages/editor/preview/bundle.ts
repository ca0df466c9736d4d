import { fileType } from '../../../../contract/rules/file-types.ts';
import { chooseLanguage } from '../../../editor/files/index.ts';
import { isHtml } from '../../files/kind.ts';
import { encodePath, pathOfReference, replaceReferences, withBase } from './references.ts';
import { nameScripts, type ScriptStart } from './scripts.ts';

/**
 * Prepares a document for the preview. Relative addresses lead to the page's files at its own address. Files that are
 * not there, because they are unsaved or because only some people may see the page, are sent along.
 */

/** What the frame gets. Files come after those that they refer to. */
export interface PreviewDocument {
  html: string;
  files: Array<{ text: string; type: string } | Blob>;
  /** The paths of these files. */
  paths: string[];
  /** The inline scripts, by their index. */
  scripts: ScriptStart[];
  /** Replaces the addresses in a part of the document as they were replaced in it. */
  rewrite?: (part: string) => string;
}

export interface PreviewSource {
  /** The path of the document. */
  path: string;
  html: string;
  /** Unsaved texts of files other than documents, by path. */
  unsaved: ReadonlyMap<string, string>;
  /** Paths of the saved files. */
  saved: { has(path: string): boolean; size: number };
  /** The page's own address, with a slash at its end. */
  root: string;
  /** True if everyone can get the saved files at that address. */
  isPublic: boolean;
  /** Reads a saved file. */
  read: (path: string) => Promise<Blob>;
}

/** The frame replaces it with the address of the file. */
const placeholder = (index: number) => `quire-preview-file-${index}.`;

export async function bundlePreview(source: PreviewSource): Promise<PreviewDocument> {
  const { path, html, saved, unsaved, root } = source;
  if (saved.size + unsaved.size === 0) return { ...nameScripts(html), files: [], paths: [] };
  const bundle = new Bundle(source);
  const text = await bundle.replaceIn(html, path, 'html');
  const { html: named, scripts } = nameScripts(text);
  const base = new URL(encodePath(path), root).href;
  const { files, paths, rewrite } = bundle;
  return { html: withBase(named, base), files, paths, scripts, rewrite };
}

class Bundle {
  readonly files: PreviewDocument['files'] = [];
  readonly paths: string[] = [];
  /** The new addresses by path. Undefined while a file is being added, so that a circle ends. */
  readonly #added = new Map<string, string | undefined>();
  #inDocument = new Map<string, string>();

  constructor(private readonly source: PreviewSource) {}

  /** Adds the files that a text refers to, and replaces their addresses. */
  async replaceIn(text: string, path: string, language: 'html' | 'css' | 'javascript'): Promise<string> {
    const found = new Set<string>();
    replaceReferences(text, language, (address) => {
      found.add(address);
      return undefined;
    });
    const next = new Map<string, string>();
    for (const address of found) {
      const replaced = await this.#findAddress(address, path, language);
      if (replaced !== undefined) next.set(address, replaced);
    }
    if (language === 'html') this.#inDocument = next;
    return replaceReferences(text, language, (address) => next.get(address));
  }

  rewrite = (part: string) => replaceReferences(part, 'html', (address) => this.#inDocument.get(address));

  async #findAddress(address: string, from: string, language: string): Promise<string | undefined> {
    const target = pathOfReference(address, from);
    // A bare name in a script is not an address.
    if (!target || (language === 'javascript' && !/^[./]/.test(address))) return undefined;
    const added = this.#isMissing(target.path) ? await this.#add(target.path) : undefined;
    if (added !== undefined) return added + target.rest.replace(/^\?[^#]*/, '');
    // A file that is sent along has no address of its own to start from.
    return language === 'html'
      ? undefined
      : new URL(encodePath(target.path), this.source.root).href + target.rest;
  }

  #isMissing(path: string): boolean {
    const { unsaved, saved, isPublic } = this.source;
    if (isHtml(path)) return false;
    // Of a script at another address, the browser tells a document without an origin no errors.
    const isScript = chooseLanguage(path) === 'javascript';
    return unsaved.has(path) || ((!isPublic || isScript) && saved.has(path));
  }

  async #add(path: string): Promise<string | undefined> {
    if (this.#added.has(path)) return this.#added.get(path);
    this.#added.set(path, undefined);
    const language = chooseLanguage(path);
    const text = this.source.unsaved.get(path);
    const type = fileType(path);
    if (language === 'css' || language === 'javascript') {
      const written = text ?? (await (await this.source.read(path)).text());
      this.files.push({ text: await this.replaceIn(written, path, language), type });
    } else if (text !== undefined) this.files.push({ text, type });
    else this.files.push(new Blob([await this.source.read(path)], { type }));
    this.paths.push(path);
    const address = placeholder(this.files.length - 1);
    this.#added.set(path, address);
    return address;
  }
}
