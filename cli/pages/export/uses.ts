import type { ExportReport } from './report.ts';

/** What pages use of Quire, and what to do about it elsewhere. */
const IN_PAGES: Array<[uses: RegExp, why: string]> = [
  [
    /\bPageFunctions\b|\/api\/functions\//,
    'calls functions at Quire. Call the address of the Worker instead, and let the Worker send access-control-allow-origin.',
  ],
  [
    /\b(?:SoloData|TeamData|SocialData)\b|\/api\/pages\/[^"'`\s]+\/(?:solo|team|social)-data/,
    'keeps its records in collections at Quire. They are in data/, and need a database of their own.',
  ],
  [/\bPageUser\b/, 'asks Quire who the visitor is (PageUser). Use a login of your own.'],
  [/\bPageLive\b/, 'uses live channels (PageLive). Use WebSockets of your own.'],
  [/\bPageForms\b|\bdata-quire-form\b/, 'sends its forms to Quire. Send them to an address of your own.'],
  [/\bPageFeatures\b|\/page-api-/, 'uses chat, images or copies of the page (PageFeatures).'],
  [/\{\{PAGE_ID\}\}/, 'has {{PAGE_ID}}, which only Quire replaces with the id of the page.'],
];

/** What functions use of Quire. */
const IN_FUNCTIONS: Array<[uses: RegExp, why: string]> = [
  [
    /\benv\s*(?:\.|\?\.)\s*LIVE\b|\bLIVE\s*[:.}]/,
    'sends to visitors with env.LIVE, which Workers do not have.',
  ],
  [
    /x-quire-/i,
    'reads from x-quire- headers who calls. Elsewhere anyone can send them: use a login of your own.',
  ],
];

/** Notes what a document or a script of a page uses of Quire. */
export function notePageUses(report: ExportReport, path: string, text: string): void {
  noteUses(report, path, text, IN_PAGES);
}

/** Notes what a module of a function uses of Quire. */
export function noteFunctionUses(report: ExportReport, path: string, text: string): void {
  noteUses(report, path, text, IN_FUNCTIONS);
}

function noteUses(report: ExportReport, path: string, text: string, known: typeof IN_PAGES): void {
  for (const [uses, why] of known) if (uses.test(text)) report.leave(path, why);
}
