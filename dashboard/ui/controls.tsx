import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { t } from '../texts/index.ts';
import { Icon, type IconName } from './icons.tsx';
import { say } from './overlays/toasts.tsx';

interface ButtonProps {
  children: ComponentChildren;
  onClick?: () => unknown;
  kind?: 'primary' | 'quiet' | 'danger' | 'bare';
  disabled?: boolean;
  /** The name for screen readers. */
  label?: string;
  title?: string;
  class?: string;
  /** Shown before the label. */
  icon?: IconName;
  /** A tooltip. */
  tip?: string;
}

/** A button that is disabled while its action runs, and shows a message if the action fails. */
export function Button({ children, onClick, kind = 'primary', icon, tip, ...rest }: ButtonProps) {
  const [isBusy, setBusy] = useState(false);
  const press = async () => {
    const work = onClick?.();
    if (!(work instanceof Promise)) return;
    setBusy(true);
    try {
      await work;
    } catch (error) {
      say((error as Error).message, 'bad');
    } finally {
      setBusy(false);
    }
  };
  return (
    <button
      type="button"
      class={`button ${kind} ${rest.class ?? ''}`}
      disabled={rest.disabled || isBusy}
      aria-busy={isBusy}
      title={rest.title}
      data-tip={tip}
      {...(rest.label && { 'aria-label': rest.label })}
      {...(onClick && { onClick: press })}
    >
      {icon && <Icon name={icon} size={18} />}
      {children}
    </button>
  );
}

type IconButtonProps = Omit<ButtonProps, 'children' | 'icon' | 'tip'> & { icon: IconName; label: string };

/** A button that shows only an icon. Its label is its tooltip and its name for screen readers. */
export function IconButton({ icon, kind = 'bare', class: names = '', ...rest }: IconButtonProps) {
  return (
    <Button {...rest} kind={kind} tip={rest.label} class={`only-icon ${names}`}>
      <Icon name={icon} />
    </Button>
  );
}

interface FormProps {
  onSubmit: () => Promise<unknown>;
  /** The label of the submit button. */
  submit: string;
  children: ComponentChildren;
  disabled?: boolean;
  /** Adds a Cancel button. */
  onCancel?: () => void;
  /** Something is deleted. */
  isDanger?: boolean;
  /** Shown next to the buttons. */
  aside?: ComponentChildren;
}

/** A form that is disabled while it is submitted, and shows the error if that fails. */
export function Form({ onSubmit, submit, children, disabled, onCancel, isDanger, aside }: FormProps) {
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<Error>();
  const send = async (event: Event) => {
    event.preventDefault();
    if (isBusy) return;
    setBusy(true);
    setFailure(undefined);
    try {
      await onSubmit();
    } catch (error) {
      setFailure(error as Error);
    } finally {
      setBusy(false);
    }
  };
  return (
    <form onSubmit={send}>
      {children}
      {failure && (
        <div class="notice bad" role="alert">
          <p>{failure.message}</p>
        </div>
      )}
      <div class="actions">
        <button
          type="submit"
          class={`button ${isDanger ? 'danger' : 'primary'}`}
          disabled={disabled || isBusy}
          aria-busy={isBusy}
        >
          {submit}
        </button>
        {onCancel && (
          <Button kind="quiet" onClick={onCancel}>
            {t('Cancel')}
          </Button>
        )}
        {aside}
      </div>
    </form>
  );
}
