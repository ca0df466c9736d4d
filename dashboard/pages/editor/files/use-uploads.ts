import { useState } from 'preact/hooks';
import { INDEX_PATH } from '../../../../contract/rules/file-paths.ts';
import { freePath, relativePath } from '../../../editor/files/index.ts';
import { t } from '../../../texts/index.ts';
import { say } from '../../../ui/index.ts';
import type { SendOptions } from '../../files/api.ts';
import { type Chosen, type ChosenFile, insideOnlyFolder } from '../../files/chosen.ts';
import { fileKind, isHtml } from '../../files/kind.ts';
import type { EditedPage } from '../work/edited-page.ts';
import { adding } from '../work/file-changes.ts';
import type { Question } from './question.tsx';

export interface Sending {
  label: string;
  sent: number;
  total: number;
  cancel: () => void;
}

interface How {
  /** Gives the files other names, so that they replace nothing. */
  isPasted?: boolean;
  /** Refers to the pictures among them in the document that is edited. */
  isInDocument?: boolean;
}

export interface Uploads {
  sending: Sending | undefined;
  failure: Error | undefined;
  question: Question | undefined;
  /** Uploads files into a folder; empty for the top. Asks first if that replaces something. */
  take: (chosen: Promise<Chosen> | Chosen, folder: string, how?: How) => Promise<void>;
  dismiss: () => void;
}

/** Uploads what a person drops, pastes or chooses. */
export function useUploads(work: EditedPage, onAdded: (paths: string[]) => void): Uploads {
  const [sending, setSending] = useState<Sending>();
  const [failure, setFailure] = useState<Error>();
  const [question, setQuestion] = useState<Question>();

  const run = async (label: string, send: (options: SendOptions) => Promise<void>) => {
    const controller = new AbortController();
    const cancel = () => controller.abort();
    setQuestion(undefined);
    setFailure(undefined);
    setSending({ label, sent: 0, total: 1, cancel });
    try {
      const onProgress = (sent: number, total: number) => setSending({ label, sent, total, cancel });
      await send({ onProgress, signal: controller.signal });
    } catch (error) {
      if (controller.signal.aborted) say(t('The upload was canceled. Nothing changed.'));
      else setFailure(error as Error);
    } finally {
      setSending(undefined);
    }
  };

  const upload = (files: ChosenFile[], isWholePage = false, isInDocument = false) => {
    const sent = new Map(files.map(({ path, file }) => [path, file]));
    const count = files.length;
    return run(t('Uploading {count|{count} file|{count} files}', { count }), async (options) => {
      const change = isWholePage ? () => ({ kept: new Map<string, string>(), sent }) : adding(sent);
      await work.files.add(change, (path) => isWholePage || sent.has(path), options);
      sayUploaded(count, work.known.version);
      onAdded([...sent.keys()]);
      if (isInDocument) insertPictures(work, [...sent.keys()]);
    });
  };

  const unpack = (zip: File) =>
    run(t('Uploading {name}', { name: zip.name }), async (options) => {
      await work.files.replaceByZip(zip, options);
      sayUnpacked(zip.name, work.known.version);
    });

  const take: Uploads['take'] = async (chosen, folder, { isPasted, isInDocument } = {}) => {
    if (sending) return say(t('Wait until the current upload is done.'), 'bad');
    setFailure(undefined);
    try {
      const { files, leftOut } = await chosen;
      if (leftOut.length > 0) say(t('Left out {names}.', { names: listNames(leftOut) }));
      if (files.length === 0) return;
      const paths = new Set(work.paths());
      const placed = placeIn(folder, files, isPasted ? paths : new Set());
      const asked = questionAbout(placed, paths, work, { upload, unpack });
      if (asked) setQuestion({ ...asked, cancel: () => setQuestion(undefined) });
      else await upload(placed, false, isInDocument);
    } catch (error) {
      setFailure(error as Error);
    }
  };

  return { sending, failure, question, take, dismiss: () => setFailure(undefined) };
}

const sayUploaded = (count: number, version: number) =>
  say(
    t('Uploaded {count|{count} file|{count} files}, as version {version}.', {
      count,
      version: String(version),
    }),
  );

const sayUnpacked = (name: string, version: number) =>
  say(t('Unpacked {name}, as version {version}.', { name, version: String(version) }));

/** The files in a folder, with other names if one of these paths would be taken. */
function placeIn(folder: string, files: ChosenFile[], taken: ReadonlySet<string>): ChosenFile[] {
  return files.map(({ path, file }) => {
    const wanted = folder === '' ? path : `${folder}/${path}`;
    return { path: freePath(wanted, (each) => taken.has(each)), file };
  });
}

/** Puts pictures where the cursor is. */
function insertPictures(work: EditedPage, paths: string[]): void {
  const { current } = work.open;
  const pictures = paths.filter((path) => fileKind(path) === 'image');
  if (pictures.length === 0 || !isHtml(current)) return;
  const tags = pictures.map((path) => `<img src="${relativePath(current, path)}" alt="">`);
  work.open.editor(current)?.insert(tags.join('\n'));
}

interface Ways {
  upload: (files: ChosenFile[], isWholePage?: boolean) => Promise<void>;
  unpack: (zip: File) => Promise<void>;
}

/** What to ask before files are uploaded, if anything. */
function questionAbout(
  files: ChosenFile[],
  paths: ReadonlySet<string>,
  work: EditedPage,
  { upload, unpack }: Ways,
): Omit<Question, 'cancel'> | undefined {
  const [first] = files;
  const unsaved = work.isDirty && t('Your unsaved changes are discarded.');
  const kept = t('Earlier versions stay in the version history.');
  if (first && files.length === 1 && /\.zip$/i.test(first.path))
    return {
      title: t('Unpack {name}?', { name: first.file.name }),
      text: sentences(t('The content of the archive can replace all files of the page.'), unsaved, kept),
      choices: [
        [t('Replace all files'), () => unpack(first.file)],
        [t('Upload it as a file'), () => upload(files)],
      ],
    };
  const site = insideOnlyFolder(files);
  if (site.folder && site.files.some(({ path }) => path === INDEX_PATH))
    return {
      title: t('Replace the page with {folder}?', { folder: site.folder }),
      text: sentences(
        t('The folder has an index.html. It can replace the page and all its files.'),
        unsaved,
        kept,
      ),
      choices: [
        [t('Replace the page'), () => upload(site.files, true)],
        [t('Add it as the folder {folder}', { folder: site.folder }), () => upload(files)],
      ],
    };
  const taken = files.map(({ path }) => path).filter((path) => paths.has(path));
  const count = taken.length;
  if (count === 0) return undefined;
  return {
    title: t('Replace {count|{count} file|{count} files}?', { count }),
    text: sentences(
      t('The page already has {names}.', { names: listNames(taken) }),
      taken.some(work.edits.has) && t('Unsaved changes in them are discarded.'),
      kept,
    ),
    choices: [[t('{count|Replace it|Replace them}', { count }), () => upload(files)]],
  };
}

const sentences = (...all: Array<string | false>) => all.filter(Boolean).join(' ');

const NAMED = 5;

function listNames(names: string[]): string {
  const shown = names.slice(0, NAMED).join(', ');
  const count = names.length - NAMED;
  return count > 0 ? t('{names} and {count} more', { names: shown, count }) : shown;
}
