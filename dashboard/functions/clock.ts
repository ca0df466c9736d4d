/** Moments as all screens of functions say them: by the clock of 24 hours. */

const format = (options: Intl.DateTimeFormatOptions) => {
  const formatter = new Intl.DateTimeFormat('en', { ...options, hourCycle: 'h23' });
  return (iso: string) => formatter.format(new Date(iso));
};

export const formatMoment = format({ dateStyle: 'medium', timeStyle: 'short' });
export const formatTime = format({ timeStyle: 'medium' });
export const formatHour = format({ weekday: 'short', day: 'numeric', hour: '2-digit', minute: '2-digit' });
