import { formEndpoints } from '../../../contract/forms/endpoints.ts';
import {
  handle,
  isNavigation,
  type Route,
  seeOther,
  withRequestLanguage,
} from '../../platform/http/index.ts';
import type { FormsContext } from './context.ts';
import { exportMessages } from './export.ts';
import {
  downloadFormFile,
  markAll,
  markMessage,
  readForms,
  readMessage,
  readMessages,
  removeForm,
  removeMessage,
  setNotices,
} from './inbox.ts';
import { resolveNext, toPageAddress } from './next.ts';
import { notSentScreen, thanksScreen } from './screens.ts';
import { submitForm } from './submit.ts';
import { toForm, toMessage } from './wire.ts';

export function formRoutes(context: FormsContext): Route[] {
  return [submitRoute(context), ...readRoutes(context), ...downloadRoutes(context), ...changeRoutes(context)];
}

function submitRoute(context: FormsContext): Route {
  const { baseUrl } = context;
  return handle(
    formEndpoints.submitForm,
    async ({ params, query, caller, address, pageHost, request }) => {
      const sending = { idOrSlug: params.id, form: params.name, caller, address, pageHost, request };
      const { page, next } = await submitForm(context, sending);
      if (next !== undefined && query.redirect !== 'false') return seeOther(next);
      if (!isNavigation(request.headers))
        return { success: true as const, message: 'Thank you. Your message was sent.', next };
      const place = { ...context, page, pageHost };
      // The document of the page that has the form.
      const from = resolveNext(request.headers.get('referer') ?? '', place);
      return withRequestLanguage(request, () => thanksScreen(page, from ?? toPageAddress(place), baseUrl));
    },
    { failureScreen: (failure) => notSentScreen(failure, baseUrl) },
  );
}

function readRoutes(context: FormsContext): Route[] {
  return [
    handle(formEndpoints.listForms, async ({ params, actor }) => {
      const { forms: rows, formNotices } = await readForms(context, params.id, actor);
      const forms = rows.map(toForm);
      return { forms, unread: forms.reduce((sum, { unread }) => sum + unread, 0), formNotices };
    }),
    handle(formEndpoints.listFormMessages, async ({ params, query, actor }) => {
      const asked = { idOrSlug: params.id, form: params.name, actor: actor };
      const { messages, ...counts } = await readMessages(context, asked, query);
      return { messages: messages.map(toMessage), ...counts };
    }),
    handle(formEndpoints.getFormMessage, async ({ params, actor }) => {
      const asked = { idOrSlug: params.id, form: params.name, actor: actor };
      return toMessage(await readMessage(context, asked, params.messageId));
    }),
  ];
}

function downloadRoutes(context: FormsContext): Route[] {
  return [
    handle(formEndpoints.exportFormMessages, ({ params, actor }) =>
      exportMessages(context, { idOrSlug: params.id, form: params.name, actor: actor }),
    ),
    handle(formEndpoints.downloadFormFile, ({ params, actor }) => {
      const asked = { idOrSlug: params.id, form: params.name, actor: actor };
      return downloadFormFile(context, asked, params);
    }),
  ];
}

function settingsRoute(context: FormsContext): Route {
  return handle(formEndpoints.setFormNotices, async ({ params, body, actor }) => {
    await setNotices(context, { idOrSlug: params.id, actor: actor }, body.formNotices);
    return body;
  });
}

function changeRoutes(context: FormsContext): Route[] {
  return [
    settingsRoute(context),
    handle(formEndpoints.markForm, async ({ params, body, actor }) => {
      const asked = { idOrSlug: params.id, form: params.name, actor: actor };
      return toForm(await markAll(context, asked, body.isRead));
    }),
    handle(formEndpoints.markFormMessage, async ({ params, body, actor }) => {
      const asked = { idOrSlug: params.id, form: params.name, actor: actor };
      return toMessage(await markMessage(context, asked, params.messageId, body.isRead));
    }),
    handle(formEndpoints.deleteForm, ({ params, actor }) =>
      removeForm(context, { idOrSlug: params.id, form: params.name, actor: actor }),
    ),
    handle(formEndpoints.deleteFormMessage, ({ params, actor }) => {
      const asked = { idOrSlug: params.id, form: params.name, actor: actor };
      return removeMessage(context, asked, params.messageId);
    }),
  ];
}
