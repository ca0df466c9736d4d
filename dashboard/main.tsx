import { render } from 'preact';
import { App } from './app.tsx';
import { redrawWithErrorTexts } from './redraw.ts';

const root = document.getElementById('app');
redrawWithErrorTexts();
if (root) {
  // Remove the placeholder that the server sent.
  root.replaceChildren();
  render(<App />, root);
}
