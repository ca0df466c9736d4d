import { raw } from 'hono/html';
import { language } from '../../../../platform/http/index.ts';
import {
  html,
  inlineHash,
  lookStyles,
  SCREEN_STYLES,
  screenHeaders,
  screenIcon,
  t,
} from '../../../../sites/screens/index.ts';
import { SANDBOX_TOKENS } from '../sandbox-policy.ts';
import STYLES from './bar.css' with { type: 'text' };

const HOUR_MS = 3600 * 1000;

interface Bar {
  /** The name of the page. */
  name: string;
  /** The path of the page's document. */
  frame: string;
  /** How long the page still exists. */
  leftMs: number;
  baseUrl: string;
  /** The address where the page can be reported. */
  reportTo: string;
}

/** A document of the service with a bar, and the page in a frame below it. */
export async function barScreen({ name, frame, leftMs, baseUrl, reportTo }: Bar): Promise<Response> {
  const styles = SCREEN_STYLES + STYLES + lookStyles();
  const hours = Math.max(1, Math.round(leftMs / HOUR_MS));
  const page = await html`<!doctype html>
<html lang="${language()}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>${name}</title>
${screenIcon(baseUrl)}
${raw(`<style>${styles}</style>`)}
</head>
<body class="unclaimed">
<p class="bar" role="note"><strong>${t('Published anonymously')}</strong> <span>${t('Nobody knows who made this page. Do not enter passwords or payment details. It is deleted in {hours|{hours} hour|{hours} hours}.', { hours })}</span> <a href="${reportTo}" target="_blank" rel="noopener noreferrer">${t('Report this page')}</a></p>
<iframe src="${frame}" title="${name}" sandbox="${SANDBOX_TOKENS}"></iframe>
</body>
</html>
`;
  return new Response(String(page), {
    headers: {
      ...screenHeaders({ inlineStyleHash: inlineHash(styles), baseUrl, frames: "'self'" }),
      'cache-control': 'no-store',
      'content-language': language(),
      'x-robots-tag': 'noindex',
    },
  });
}
