import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { Dialog } from './dialog.tsx';
import { FailureNotice } from './failure-notice.tsx';
import { useTexts } from './texts.tsx';

type FormProps = {
  children: ReactNode;
  /** Whether fields among the children are complete. Default: yes. */
  isReady?: boolean;
  /** The name of the button that makes the change. */
  action: string;
  /** Whether it takes nothing away. */
  isHarmless?: boolean;
  /** The words to type first, if it destroys something. */
  phrase?: string;
  isBusy: boolean;
  /** How it goes on, or has failed. */
  state: ReactNode;
  /** The name of the other button. Default: cancel. */
  cancel?: string;
  onConfirm: () => void;
  onClose: () => void;
};

type Props = Omit<FormProps, 'state' | 'cancel' | 'isReady'> & { title: string; error: unknown };

/** A question before a change. Mount it while it is open. */
export function Confirm({ title, error, ...form }: Props) {
  return (
    <Dialog onClose={form.onClose} title={title}>
      <ConfirmForm {...form} state={<FailureNotice error={error} />} />
    </Dialog>
  );
}

/** The question, the words to type if there are any, and the two buttons. */
export function ConfirmForm(props: FormProps) {
  const { children, isReady = true, action, isHarmless = false, phrase, cancel } = props;
  const { isBusy, state, onConfirm, onClose } = props;
  const { t } = useTexts();
  const [typed, setTyped] = useState('');
  const may = isReady && (phrase === undefined || typed.trim() === phrase);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (may) onConfirm();
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
        {state}
        <Group justify="end">
          <Button variant="default" onClick={onClose}>
            {cancel ?? t('form.cancel')}
          </Button>
          <Button
            type="submit"
            {...(!isHarmless && { color: 'red.8' })}
            disabled={!may}
            loading={isBusy}
          >
            {action}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
