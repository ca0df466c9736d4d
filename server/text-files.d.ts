/** Files that are imported as text. */
declare module '*.css' {
  const text: string;
  export default text;
}
declare module '*.md' {
  const text: string;
  export default text;
}
declare module '*/workers/shim.js' {
  const text: string;
  export default text;
}
declare module '*/workers/guard.js' {
  const text: string;
  export default text;
}
declare module '*/workers/lanes.js' {
  const text: string;
  export default text;
}
