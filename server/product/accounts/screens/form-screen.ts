import type { AppError } from '../../../lib/errors.ts';
import { type Html, html, sayError, sayText, screen, t, translated } from '../../../sites/screens/index.ts';

/** A form of the account screens, shown again with its errors. */

export interface Field {
  name: string;
  label: string;
  type?: string;
  autocomplete: string;
  hint?: string;
  isOptional?: boolean;
}

/** Characters of a typed value that are shown again. */
const MAX_SHOWN_LETTERS = 300;

/** The result of the last attempt: the error to show, and what was typed. */
export interface Tried {
  error?: AppError;
  form?: Record<string, string>;
}

interface FormOptions {
  title: string;
  intro?: string;
  /** The description of the screen for search engines, if they can find it. */
  description?: string;
  action: string;
  fields: Field[];
  hidden: Record<string, string>;
  submit: string;
  /** Shown above and below the form. */
  before?: Html;
  after?: Html;
  /** The path of the script that `before` and `after` need. */
  script?: string;
  tried?: Tried;
}

/** An error, and the fields it is about. The first one gets the focus. */
interface Problem {
  message: string;
  fields: string[];
}

export function formScreen(
  options: FormOptions,
  frame: { baseUrl: string; formTargets: string },
): Promise<Response> {
  const { title, intro, description, action, fields, submit, before, after, script, tried = {} } = options;
  const problems = tried.error ? listProblems(tried.error, fields) : [];
  const entered = fields.find(({ name }) => (tried.error ? problems[0]?.fields[0] === name : true));
  const hidden = Object.entries(options.hidden).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
  );
  const body = html`<section class="card">
<h1>${title}</h1>
${intro ? html`<p>${intro}</p>` : ''}
${problems.length ? html`<div class="error" role="alert">${problems.map(problemLine)}</div>` : ''}
${before ?? ''}
<form method="post" action="${action}">
${fields.map((field) => fieldRow(field, problems, tried.form?.[field.name], field === entered))}
${hidden}<button>${submit}</button>
</form>
${after ?? ''}
</section>`;
  return screen(
    { title: problems.length ? t('Error: {title}', { title }) : title, body, description },
    { ...frame, script, status: tried.error?.status ?? 200, headers: tried.error?.headers ?? {} },
  );
}

function problemLine({ message, fields: [field] }: Problem): Html {
  if (field === undefined) return html`<p>${message}</p>`;
  return html`<p id="${field}-problem"><a href="#${field}">${message}</a></p>`;
}

function fieldRow(field: Field, problems: Problem[], typed = '', isEntered: boolean): Html {
  const { name, label, type = 'text', autocomplete, hint } = field;
  const problem = problems.find(({ fields }) => fields.includes(name));
  const notes = [problem && `${problem.fields[0]}-problem`, hint && `${name}-hint`].filter(Boolean).join(' ');
  const attributes = html`${field.isOptional ? '' : html` required`}${isEntered ? html` autofocus` : ''}${problem ? html` aria-invalid="true"` : ''}${notes ? html` aria-describedby="${notes}"` : ''}`;
  return html`<div class="field">
<label for="${name}">${translated(label)}</label>
<input id="${name}" name="${name}" type="${type}" autocomplete="${autocomplete}" autocapitalize="none" spellcheck="false" value="${type === 'password' ? '' : typed.slice(0, MAX_SHOWN_LETTERS)}"${attributes}>
${hint ? html`<p class="hint" id="${name}-hint">${translated(hint)}</p>` : ''}
</div>`;
}

function listProblems(error: AppError, fields: Field[]): Problem[] {
  if (error.code === 'INVALID_CREDENTIALS')
    return [{ message: sayError(error), fields: ['password', 'username'] }];
  const about = error.details.flatMap(({ path, message, text = message, values }) => {
    const field = fields.find(({ name }) => name === path);
    if (!field) return [];
    return [
      {
        message:
          error.code === 'BAD_REQUEST'
            ? `${translated(field.label)} ${sayText({ text, values })}.`
            : sayError(error),
        fields: [path],
      },
    ];
  });
  return about.length ? about : [{ message: sayError(error), fields: [] }];
}
