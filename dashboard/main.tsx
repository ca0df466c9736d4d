import { render } from 'preact';
import { App } from './app.tsx';

const root = document.getElementById('app');
if (root) {
  // Remove the placeholder that the server sent.
  root.replaceChildren();
  render(<App />, root);
}
