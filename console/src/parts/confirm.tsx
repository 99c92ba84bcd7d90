import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { Dialog } from './dialog.tsx';
import { FailureNotice } from './failure-notice.tsx';
import { useTexts } from './texts.tsx';

type Props = {
  title: string;
  children: ReactNode;
  /** The name of the button that does it. */
  action: string;
  /** Whether it takes nothing away. */
  isHarmless?: boolean;
  /** The words to type first, if it destroys something. */
  phrase?: string;
  isBusy: boolean;
  error: unknown;
  onConfirm: () => void;
  onClose: () => void;
};

/** Asks before something is done that cannot be undone. Mount it while it is asked. */
export function Confirm({ title, children, action, isHarmless = false, phrase, ...rest }: Props) {
  const { isBusy, error, onConfirm, onClose } = rest;
  const { t } = useTexts();
  const [typed, setTyped] = useState('');
  const isReady = phrase === undefined || typed.trim() === phrase;
  return (
    <Dialog onClose={onClose} title={title}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (isReady) onConfirm();
        }}
      >
        <Stack>
          <Text size="sm" component="div">
            {children}
          </Text>
          {phrase !== undefined && (
            <TextInput
              label={t('confirm.type', { phrase })}
              value={typed}
              onChange={(event) => setTyped(event.currentTarget.value)}
              autoComplete="off"
              spellCheck={false}
              data-autofocus
            />
          )}
          <FailureNotice error={error} />
          <Group justify="end">
            <Button variant="default" onClick={onClose}>
              {t('form.cancel')}
            </Button>
            <Button
              type="submit"
              {...(!isHarmless && { color: 'red.8' })}
              disabled={!isReady}
              loading={isBusy}
            >
              {action}
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}
