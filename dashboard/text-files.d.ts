/** Files that are imported as text. */
declare module '*.html' {
  const text: string;
  export default text;
}
declare module '*.function.js' {
  const text: string;
  export default text;
}
