import { useBlocker } from '@tanstack/react-router';
import { ConfirmForm } from './confirm.tsx';
import { Dialog } from './dialog.tsx';
import { useTexts } from './texts.tsx';

/** Asks before the user leaves the view, as long as it is active. */
export function LeaveGuard({ isActive }: { isActive: boolean }) {
  const { t } = useTexts();
  const { status, proceed, reset } = useBlocker({
    shouldBlockFn: always,
    disabled: !isActive,
    withResolver: true,
  });
  if (status !== 'blocked') return undefined;
  return (
    <Dialog title={t('unsaved.title')} onClose={reset}>
      <ConfirmForm
        action={t('unsaved.leave')}
        cancel={t('unsaved.stay')}
        isBusy={false}
        state={undefined}
        onConfirm={proceed}
        onClose={reset}
      >
        {t('unsaved.about')}
      </ConfirmForm>
    </Dialog>
  );
}

const always = () => true;
