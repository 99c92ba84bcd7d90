import { Button, Group, Text, VisuallyHidden } from '@mantine/core';
import type { ReactNode } from 'react';
import { LeaveGuard } from './leave-guard.tsx';
import { useTexts } from './texts.tsx';

type Props = {
  /** Whether the form above has changes that are not saved. */
  isShown: boolean;
  submit: string;
  isBusy: boolean;
  /** Whether something else has to be decided first. */
  isHeld: boolean;
  /** Why the changes are not saved yet. */
  state: ReactNode;
  onDiscard: () => void;
};

/**
 * Saves or discards the changes of a form that is a view of its own. It is at the bottom of the
 * window while there are any, wherever they are in the view, and the user is asked before they are
 * lost.
 */
export function SaveBar({ isShown, submit, isBusy, isHeld, state, onDiscard }: Props) {
  const { t } = useTexts();
  return (
    <>
      {/* Is there before it has a text: screen readers say only what changes. */}
      <VisuallyHidden role="status">{isShown && t('unsaved.title')}</VisuallyHidden>
      <LeaveGuard isActive={isShown} title={t('unsaved.title')} action={t('unsaved.leave')}>
        {t('unsaved.about')}
      </LeaveGuard>
      {isShown && (
        <section className="console-save-bar" aria-label={t('unsaved.title')}>
          <div className="console-save-state">{state}</div>
          <Group gap="xs" maw={1040} justify="end">
            <Text size="sm" fw={600} flex="1 1 12rem">
              {t('unsaved.title')}
            </Text>
            <Button variant="default" flex="none" disabled={isBusy} onClick={onDiscard}>
              {t('unsaved.discard')}
            </Button>
            <Button type="submit" flex="none" loading={isBusy} disabled={isHeld}>
              {submit}
            </Button>
          </Group>
        </section>
      )}
    </>
  );
}
