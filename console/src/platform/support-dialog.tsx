import type { ItemOf } from '@bailiwick/client/client.ts';
import { Alert, NativeSelect, Textarea } from '@mantine/core';
import { FormDialog } from '../parts/form-dialog.tsx';
import { Icon } from '../parts/icon.tsx';
import { enterSupport } from '../parts/support-access.ts';
import { useTexts } from '../parts/texts.tsx';
import { amountOf } from '../parts/times.ts';

type User = Pick<ItemOf<'Users_List'>, 'ID' | 'Email'>;

const times = [5, 15, 30, 60];

/** Asks for the reason and the time, and goes on as the user. */
export function SupportDialog({ user, onClose }: { user: User; onClose: () => void }) {
  const { t, locale } = useTexts();
  const { ID, Email } = user;
  return (
    <FormDialog
      onClose={onClose}
      title={t('support.title', { person: Email })}
      operation="Support_Start"
      initial={{ reason: '', minutes: '15' }}
      check={({ reason }) => ({
        reason: reason.trim() === '' ? t('support.reasonMissing') : null,
      })}
      toRequest={({ reason, minutes: time }) => ({
        UserID: ID,
        Reason: reason.trim(),
        Minutes: Number(time),
        Cookie: true,
      })}
      stale={[]}
      onDone={enterSupport}
      submit={t('support.start')}
    >
      {(form) => (
        <>
          <Alert color="orange" icon={<Icon name="shield" />}>
            {t('support.about')}
          </Alert>
          <Textarea
            {...form.getInputProps('reason')}
            label={t('support.reason')}
            description={t('support.reasonAbout')}
            maxLength={500}
            autosize
            minRows={2}
            data-autofocus
          />
          <NativeSelect
            {...form.getInputProps('minutes')}
            label={t('support.time')}
            data={times.map((time) => ({
              value: String(time),
              label: amountOf(time, 'minute', locale),
            }))}
          />
        </>
      )}
    </FormDialog>
  );
}
