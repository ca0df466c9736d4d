/**
 * What programs that tests start get from our environment: nothing but where programs and temporary files are. Settings
 * of a Quire that the developer runs must not reach them.
 */
export const environment = {
  PATH: process.env.PATH,
  ...(process.env.TMPDIR && { TMPDIR: process.env.TMPDIR }),
};
