import { z } from 'zod';
import { shortText } from '../../../contract/fields.ts';
import {
  MAX_REPORT_CONTACT,
  MAX_REPORT_TEXT,
  MAX_REPORTED_PAGE,
  REPORT_REASONS,
} from '../../../contract/reports/limits.ts';
import { NewReport } from '../../../contract/reports/reports.ts';
import { REASON_WORDS } from '../../../contract/reports/words.ts';
import { AppError } from '../../lib/errors.ts';
import { type Route, route, validate } from '../../platform/http/index.ts';
import { html, sayError, sayText, screen, t } from '../../sites/screens/index.ts';
import type { ReportsContext } from './context.ts';
import STYLES from './report.css' with { type: 'text' };
import { sendReport } from './send.ts';

/** Reporting a page, without script and without an account. The screens say nothing about the page. */

const PATH = '/report';
const MAX_FORM_BYTES = 64 * 1024;

const ReportQuery = z.object({ page: shortText(MAX_REPORTED_PAGE).optional() });
/** What the form sends. It is shown again if something is wrong with it. */
const ReportForm = z.object({
  page: z.string().default(''),
  reason: z.string().default(''),
  text: z.string().default(''),
  contact: z.string().default(''),
});
type ReportForm = z.infer<typeof ReportForm>;

export function reportScreens(context: ReportsContext): Route[] {
  const { baseUrl } = context;
  return [
    route({
      method: 'GET',
      path: PATH,
      access: { kind: 'screen' },
      summary: 'Asks what is wrong with a page',
      query: ReportQuery,
      handle: ({ query }) =>
        formScreen(baseUrl, { page: query.page ?? '', reason: '', text: '', contact: '' }),
    }),
    route({
      method: 'POST',
      path: PATH,
      access: { kind: 'account door' },
      stores: true,
      summary: 'Report a page from the screen that asks about it',
      body: ReportForm,
      bodyLimit: MAX_FORM_BYTES,
      acceptsForm: true,
      async handle({ body, address }) {
        try {
          await sendReport(context, readForm(body), address);
        } catch (error) {
          if (error instanceof AppError) return formScreen(baseUrl, cut(body), error);
          throw error;
        }
        return thanksScreen(baseUrl);
      },
    }),
  ];
}

function readForm(form: ReportForm): NewReport {
  if (form.page.trim() === '') throw new AppError('BAD_REQUEST', 'Enter the address of the page.');
  if (!REPORT_REASONS.some((each) => each === form.reason))
    throw new AppError('BAD_REQUEST', 'Choose what is wrong with the page.');
  // Browsers send two characters for the end of a line, and count one.
  return validate(NewReport, { ...form, text: form.text.replaceAll('\r\n', '\n') });
}

/** What fits into the fields of the form: nobody has typed more. */
const cut = ({ page, reason, text, contact }: ReportForm): ReportForm => ({
  page: page.slice(0, MAX_REPORTED_PAGE),
  reason,
  text: text.slice(0, MAX_REPORT_TEXT),
  contact: contact.slice(0, MAX_REPORT_CONTACT),
});

function formScreen(baseUrl: string, form: ReportForm, problem?: AppError): Promise<Response> {
  const title = t('Report a page');
  const intro = t(
    'Tell the administrators of this server about a page that should not be here. You need no account.',
  );
  // Search engines find the screen, but not a copy of it for each page.
  const isEmpty = !problem && form.page === '';
  const reasons = REPORT_REASONS.map(
    (reason) =>
      html`<label class="preset"><input type="radio" name="reason" value="${reason}" required${reason === form.reason ? html` checked` : ''}><span>${sayText(REASON_WORDS[reason])}</span></label>`,
  );
  const body = html`<section class="card roomy report">
<h1>${title}</h1>
<p>${intro}</p>
${problem ? html`<div class="error" role="alert"><p>${sayError(problem)}</p></div>` : ''}
<form method="post" action="${PATH}">
<label>${t('Address of the page')}<input name="page" value="${form.page}" maxlength="${MAX_REPORTED_PAGE}" required autocomplete="off" autocapitalize="none" spellcheck="false"></label>
<fieldset><legend>${t('What is wrong with it?')}</legend><div class="presets">${reasons}</div></fieldset>
<div class="field"><label for="text">${t('Tell us more (optional)')}</label><textarea id="text" name="text" maxlength="${MAX_REPORT_TEXT}" rows="5" aria-describedby="text-hint">${form.text}</textarea><p class="hint" id="text-hint">${t('The owner of the page can read this, but not who wrote it.')}</p></div>
<div class="field"><label for="contact">${t('How to reach you (optional)')}</label><input id="contact" name="contact" value="${form.contact}" maxlength="${MAX_REPORT_CONTACT}" autocomplete="email" autocapitalize="none" aria-describedby="contact-hint"><p class="hint" id="contact-hint">${t('Only administrators see it, if they have a question.')}</p></div>
<button>${t('Send the report')}</button>
</form>
</section>`;
  return screen(
    { title: problem ? t('Error: {title}', { title }) : title, body, ...(isEmpty && { description: intro }) },
    {
      baseUrl,
      status: problem?.status ?? 200,
      formTargets: "'self'",
      styles: STYLES,
      headers: { ...problem?.headers, ...(!isEmpty && { 'x-robots-tag': 'noindex' }) },
    },
  );
}

function thanksScreen(baseUrl: string): Promise<Response> {
  const title = t('Thank you');
  const body = html`<section class="card">
<h1>${title}</h1>
<p>${t('Your report was sent. An administrator of this server will look at the page.')}</p>
<p class="actions"><a class="button quiet" href="${baseUrl}/">${t('Go to the start page')}</a></p>
</section>`;
  return screen({ title, body }, { baseUrl, status: 201, headers: { 'x-robots-tag': 'noindex' } });
}
