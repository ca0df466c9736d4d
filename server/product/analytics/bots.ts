/** Programs that announce themselves: crawlers, link previews, monitors, libraries and browsers without a screen. */
const BOT =
  /bot|crawl|spider|slurp|headless|preview|monitor|fetch|scrap|lighthouse|curl|wget|python|java\/|go-http|okhttp|axios|libwww|facebookexternalhit|whatsapp|embedly|archive/i;
/** Characters of a user agent. Longer ones do not come from browsers. */
export const MAX_USER_AGENT = 512;

/** Whether the client says that it is a program, or says nothing. */
export function isBot(userAgent: string): boolean {
  return userAgent === '' || userAgent.length > MAX_USER_AGENT || BOT.test(userAgent);
}
