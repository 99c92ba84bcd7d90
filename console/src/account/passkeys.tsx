import type { ItemOf } from '@bailiwick/client/client.ts';
import { Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { ActionDialog } from '../parts/action-dialog.tsx';
import { pageOf, useCall } from '../parts/calls.ts';
import { DialogButton } from '../parts/dialog-button.tsx';
import { FailureNotice } from '../parts/failure-notice.tsx';
import { FormDialog } from '../parts/form-dialog.tsx';
import { canUsePasskeys } from '../parts/passkey.ts';
import { RowAction } from '../parts/row-action.tsx';
import { SameByApi } from '../parts/same-by-api.tsx';
import { State } from '../parts/state.tsx';
import { useTexts } from '../parts/texts.tsx';
import { Added } from './added.tsx';
import { PasskeyDialog } from './passkey-dialog.tsx';
import { Row, RowSkeleton, Section } from './section.tsx';

type Passkey = ItemOf<'Passkeys_List'>;

// An account has at most 20 passkeys.
const request = { Page: { Limit: 50 } };

/** The user's passkeys. */
export function Passkeys({ onAdded }: { onAdded: () => void }) {
  const { t } = useTexts();
  const [renamed, setRenamed] = useState<Passkey>();
  const [removed, setRemoved] = useState<Passkey>();
  const list = useCall('Passkeys_List', request);
  const page = pageOf<'Passkeys_List'>(list.data);
  return (
    <Section
      title={t('security.passkeys')}
      about={t(canUsePasskeys ? 'security.passkeysAbout' : 'security.passkeysUnsupported')}
      action={
        canUsePasskeys && (
          <DialogButton
            text={t('security.passkeyAdd')}
            dialog={(onClose) => <PasskeyDialog onAdded={onAdded} onClose={onClose} />}
          />
        )
      }
    >
      {list.isPending && <RowSkeleton />}
      <FailureNotice error={list.error} onRetry={() => void list.refetch()} />
      {page?.items.map((passkey) => (
        <Entry
          key={passkey.ID}
          passkey={passkey}
          onRename={() => setRenamed(passkey)}
          onRemove={() => setRemoved(passkey)}
        />
      ))}
      <SameByApi operation="Passkeys_List" request={request} />
      {renamed && <Rename passkey={renamed} onClose={() => setRenamed(undefined)} />}
      {removed && <Remove passkey={removed} onClose={() => setRemoved(undefined)} />}
    </Section>
  );
}

type EntryProps = { passkey: Passkey; onRename: () => void; onRemove: () => void };

function Entry({ passkey, onRename, onRemove }: EntryProps) {
  const { t } = useTexts();
  const { Name, BackedUp } = passkey;
  const name = (
    <>
      <Text fw={500}>{Name}</Text>
      {BackedUp && <State>{t('security.copied')}</State>}
    </>
  );
  return (
    <Row name={name} about={<Added {...passkey} />}>
      <RowAction aria-label={t('security.renameOf', { name: Name })} onClick={onRename}>
        {t('security.rename')}
      </RowAction>
      <RowAction isRed aria-label={t('security.removeOf', { name: Name })} onClick={onRemove}>
        {t('security.remove')}
      </RowAction>
    </Row>
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
      done={t('security.renamed')}
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
      done={t('security.removed', { name: Name })}
      onClose={onClose}
    >
      {t('security.passkeyRemoveAbout')}
    </ActionDialog>
  );
}
