/** Whether a program asks for Markdown. Browsers do not, and `*`/`*` does not count. */
export function wantsMarkdown(request: Request): boolean {
  const accept = request.headers.get('accept');
  return accept?.includes('text/markdown') === true && prefersMarkdown(accept);
}

/** Weights are honoured: a client can prefer HTML although it accepts both. */
function prefersMarkdown(accept: string): boolean {
  const weights = new Map(
    accept
      .slice(0, 1_000)
      .split(',')
      .map((range): [string, number] => {
        const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
        const weight = parameters.find((parameter) => parameter.startsWith('q='));
        return [type, weight ? Number(weight.slice(2)) || 0 : 1];
      }),
  );
  const markdown = weights.get('text/markdown') ?? 0;
  return markdown > 0 && markdown >= (weights.get('text/html') ?? 0);
}
