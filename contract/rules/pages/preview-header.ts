/** In responses of previews: another value means that the draft has changed. */
export const PREVIEW_HEADER = 'x-quire-preview';
