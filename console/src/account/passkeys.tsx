import type { ItemOf } from '@bailiwick/client/client.ts';
import { TextInput } from '@mantine/core';
import { ActionDialog } from '../parts/action-dialog.tsx';
import { pageOf, useCall } from '../parts/calls.ts';
import { DialogButton } from '../parts/dialog-button.tsx';
import { FailureNotice } from '../parts/failure-notice.tsx';
import { FormDialog } from '../parts/form-dialog.tsx';
import { canUsePasskeys } from '../parts/passkey.ts';
import { SameByApi } from '../parts/same-by-api.tsx';
import { State } from '../parts/state.tsx';
import { useTexts } from '../parts/texts.tsx';
import { Added } from './added.tsx';
import { PasskeyDialog } from './passkey-dialog.tsx';
import { Records, Section } from './section.tsx';

type Passkey = ItemOf<'Passkeys_List'>;

// An account has at most 20 passkeys.
const request = { Page: { Limit: 50 } };

export function Passkeys({ onAdded }: { onAdded: () => void }) {
  const { t } = useTexts();
  const list = useCall('Passkeys_List', request);
  const page = pageOf<'Passkeys_List'>(list.data);
  return (
    <Section
      title={t('security.passkeys')}
      description={t(canUsePasskeys ? 'security.passkeysAbout' : 'security.passkeysUnsupported')}
      action={
        canUsePasskeys && (
          <DialogButton
            text={t('security.passkeyAdd')}
            dialog={(onClose) => <PasskeyDialog onAdded={onAdded} onClose={onClose} />}
          />
        )
      }
    >
      <FailureNotice error={list.error} onRetry={() => void list.refetch()} />
      <Records
        isLoading={list.isPending}
        items={page?.items ?? []}
        idOf={({ ID }) => ID}
        nameOf={({ Name }) => Name}
        stateOf={({ BackedUp }) => BackedUp && <State>{t('security.copied')}</State>}
        detailOf={(passkey) => <Added {...passkey} />}
        actions={[
          {
            text: t('security.rename'),
            label: ({ Name }) => t('security.renameOf', { name: Name }),
            dialog: (passkey, onClose) => <Rename passkey={passkey} onClose={onClose} />,
          },
          {
            text: t('security.remove'),
            label: ({ Name }) => t('security.removeOf', { name: Name }),
            dialog: (passkey, onClose) => <Remove passkey={passkey} onClose={onClose} />,
          },
        ]}
      />
      <SameByApi operation="Passkeys_List" request={request} />
    </Section>
  );
}

type Props = { passkey: Passkey; onClose: () => void };

function Rename({ passkey: { ID, Name }, onClose }: Props) {
  const { t } = useTexts();
  return (
    <FormDialog
      onClose={onClose}
      title={t('security.renameTitle', { name: Name })}
      operation="Passkeys_Rename"
      initial={{ name: Name }}
      check={({ name }) => ({ name: name.trim() === '' ? t('security.nameMissing') : null })}
      toRequest={({ name }) => ({ ID, Name: name.trim() })}
      stale={['Passkeys_List', 'Factors_List']}
      notice={t('security.renamed')}
      submit={t('form.save')}
    >
      {(form) => (
        <TextInput
          {...form.getInputProps('name')}
          label={t('security.newName')}
          maxLength={64}
          autoComplete="off"
          data-autofocus
        />
      )}
    </FormDialog>
  );
}

function Remove({ passkey: { ID, Name }, onClose }: Props) {
  const { t } = useTexts();
  return (
    <ActionDialog
      operation="Passkeys_Delete"
      request={{ ID }}
      stale={['Passkeys_List', 'Factors_List']}
      title={t('security.removeTitle', { name: Name })}
      action={t('security.remove')}
      notice={t('security.removed', { name: Name })}
      onClose={onClose}
    >
      {t('security.passkeyRemoveAbout')}
    </ActionDialog>
  );
}
