import { checkEndpoints } from '../../contract/checks/endpoints.ts';
import { type PageCheck, VIEWPORTS } from '../../contract/checks/page-check.ts';
import type { CheckStep } from '../../contract/checks/steps.ts';
import type { Api } from '../client/api.ts';
import { connect } from '../client/connect.ts';
import { type Call, type Command, SERVER_OPTION } from '../command.ts';
import type { Paint } from '../terminal/colours.ts';
import { CommandError, EXIT, UsageError } from '../usage.ts';
import { writeWholeBy } from '../whole-file.ts';
import { findPageId } from './find.ts';

export const pagesCheck: Command = {
  name: 'pages check',
  usage: '<slug|id>',
  args: [1, 1],
  summary: 'open a page in a browser on the server, and print what happens',
  options: {
    as: {
      type: 'string',
      value: 'who',
      summary: 'nobody (default), owner, visitor, a role or a member of the team; several with commas',
    },
    path: { type: 'string', value: 'path', summary: 'another page of the site, such as about.html' },
    viewport: { type: 'string', value: 'window', summary: 'desktop (default) or phone' },
    width: { type: 'string', value: 'pixels', summary: 'another width of the window' },
    steps: { type: 'string', value: 'json', summary: 'what to do there, as a JSON array' },
    screenshot: { type: 'string', value: 'file', summary: 'save the picture of the page as a PNG file' },
    ...SERVER_OPTION,
  },
  notes: 'Exits with 1 if the page threw an error, or a step failed.',
  async run(call) {
    const as = call.text('as')?.split(',');
    const viewport = readChoice(call, 'viewport', VIEWPORTS);
    const path = call.text('path');
    const width = call.text('width');
    const steps = readSteps(call.text('steps'));
    const file = call.text('screenshot');
    const api = await connect(call);
    const [slugOrId = ''] = call.args;
    const id = await findPageId(api, slugOrId);
    const body = {
      ...(as && { as: as.length === 1 ? (as[0] ?? '') : as }),
      ...(viewport && { viewport }),
      ...(path !== undefined && { path }),
      ...(width !== undefined && { width: Number(width) }),
      ...(steps && { steps }),
    };
    const check = await api.call(checkEndpoints.checkPage, { params: { id }, body });
    if (file !== undefined) await saveScreenshot(api, check, file);
    call.out.result(check, say(check, call.out.paint));
    if (file !== undefined) call.out.note(`Saved the screenshot to ${file}.`);
    const hasFailed = check.steps?.some(({ state }) => state === 'failed');
    if (check.errors.length > 0 || hasFailed) call.exitWith(EXIT.failed);
  },
};

/** The server checks each step. */
function readSteps(text: string | undefined): CheckStep[] | undefined {
  if (text === undefined) return undefined;
  const steps = parseSteps(text);
  if (Array.isArray(steps)) return steps as CheckStep[];
  throw new UsageError(
    '--steps must be a JSON array, such as \'[{"click":{"role":"button","name":"Add"}}]\'.',
  );
}

function parseSteps(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function readChoice<Value extends string>(call: Call, option: string, allowed: readonly Value[]) {
  const given = call.text(option);
  const value = allowed.find((each) => each === given);
  if (given === undefined || value !== undefined) return value;
  throw new UsageError(`--${option} must be ${allowed.join(' or ')}.`);
}

async function saveScreenshot(api: Api, { screenshot }: PageCheck, file: string): Promise<void> {
  if (!screenshot) throw new CommandError('There is no screenshot: the page could not be drawn.');
  const path = URL.parse(screenshot.url)?.pathname ?? '';
  // The server chooses the URL. Only a screenshot of this server is fetched.
  const [, name] = /^\/screenshots\/([0-9a-f]+\.png)$/.exec(path) ?? [];
  const response =
    name === undefined ? undefined : await api.send(checkEndpoints.getScreenshot, { params: { file: name } });
  if (!response?.ok) throw new CommandError(`The screenshot could not be read from ${api.baseUrl}.`);
  const bytes = new Uint8Array(await response.arrayBuffer());
  await writeWholeBy(file, (handle) => handle.writeFile(bytes));
}

function sayStep({ step, by, state, reason }: NonNullable<PageCheck['steps']>[number]): string {
  return `${state}: ${by === undefined ? '' : `${by}: `}${step}${reason === undefined ? '' : `. ${reason}`}`;
}

function say(check: PageCheck, paint: Paint): string {
  const at = (line: number | undefined) => (line === undefined ? '' : ` (line ${line})`);
  const parts: Array<[title: string, lines: string[]]> = [
    ['Steps', (check.steps ?? []).map(sayStep)],
    ['Errors', check.errors.map(({ message, line }) => paint.red(message) + at(line))],
    ['Console', check.console.map(({ level, text, line }) => `${level}: ${text}${at(line)}`)],
    [
      'Failed requests',
      check.failedRequests.map(({ url, status, reason, text }) =>
        [status || 'no response', url, reason ?? text].filter(Boolean).join(' '),
      ),
    ],
    [
      'Accessibility',
      check.accessibility.map(
        ({ impact, help, count, elements }) =>
          `${impact ?? 'unknown'}: ${help} (${count}): ${elements.join(', ')}`,
      ),
    ],
    ['Notes', check.notes],
  ];
  const shown = parts.filter(([, lines]) => lines.length > 0);
  const seconds = (check.durationMs / 1000).toFixed(1);
  const first = `${check.title || 'No title'} — checked in ${seconds} s`;
  if (shown.length === 0)
    return `${first}\nNo errors, no messages, no failed requests, no accessibility findings.`;
  return [
    first,
    ...shown.flatMap(([title, lines]) => ['', paint.bold(title), ...lines.map((one) => `  ${one}`)]),
  ].join('\n');
}
