/** The login screen has the texts of its script in its own language. This must run before everything that says one. */
const texts = document.querySelector<HTMLElement>('[data-texts]')?.dataset.texts;
if (texts) Object.assign(globalThis, { quireTexts: JSON.parse(texts) });
