/** An empty cell. Screen readers say why it is empty. */
export function Dash({ label }: { label: string }) {
  return (
    <span class="grid-empty">
      <span aria-hidden="true">–</span>
      <span class="for-readers">{label}</span>
    </span>
  );
}
