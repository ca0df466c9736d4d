import { render } from 'preact';
import { App } from './app.tsx';

const root = document.getElementById('app');
if (root) {
  // What the server sent stands for this until now.
  root.replaceChildren();
  render(<App />, root);
}
