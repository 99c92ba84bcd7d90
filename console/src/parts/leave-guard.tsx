import { useBlocker } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { ConfirmForm } from './confirm.tsx';
import { Dialog } from './dialog.tsx';
import { useTexts } from './texts.tsx';

type Props = {
  isActive: boolean;
  title: string;
  /** The name of the button that leaves. */
  action: string;
  children: ReactNode;
};

/** Asks before the user leaves the view, as long as it is active. For a closed tab the browser asks. */
export function LeaveGuard({ isActive, title, action, children }: Props) {
  const { t } = useTexts();
  const { status, proceed, reset } = useBlocker({
    shouldBlockFn: isAnotherView,
    disabled: !isActive,
    withResolver: true,
  });
  if (status !== 'blocked') return undefined;
  return (
    <Dialog title={title} onClose={reset}>
      <ConfirmForm
        action={action}
        cancel={t('unsaved.stay')}
        isBusy={false}
        state={undefined}
        onConfirm={proceed}
        onClose={reset}
      >
        {children}
      </ConfirmForm>
    </Dialog>
  );
}

type Move = { current: { pathname: string }; next: { pathname: string } };

/** The skip link, pages and filters change the rest of the address only: the view stays. */
const isAnotherView = ({ current, next }: Move) => current.pathname !== next.pathname;
