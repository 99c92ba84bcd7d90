import type { ItemOf } from '@bailiwick/client/client.ts';
import { Alert, Button, Group, Modal, NativeSelect, Stack, Text, TextInput } from '@mantine/core';
import { CallForm } from '../parts/call-form.tsx';
import { useCall, useChange } from '../parts/calls.ts';
import { Confirm } from '../parts/confirm.tsx';
import { FailureNotice } from '../parts/failure-notice.tsx';
import { Icon } from '../parts/icon.tsx';
import { useNotify } from '../parts/notify.ts';
import { SameByApi } from '../parts/same-by-api.tsx';
import type { TextKey } from '../parts/text-keys.ts';
import { useTexts } from '../parts/texts.tsx';
import { ValuesToCopy } from '../parts/values-to-copy.tsx';
import { useTenant } from '../shell/routes.tsx';

type Domain = ItemOf<'Domain_List'>;
type Props = { domain: Domain; onClose: () => void };

const stale = ['Domain_List', 'Domain_Get'] as const;

export const captures: Readonly<Record<string, TextKey>> = {
  off: 'signon.captureOff',
  suggest: 'signon.captureSuggest',
  join: 'signon.captureJoin',
  require_sso: 'signon.captureSso',
};

/** Claims a domain. */
export function ClaimDialog(props: { onClose: () => void; onClaimed: (domain: Domain) => void }) {
  const { t } = useTexts();
  const { ID } = useTenant();
  return (
    <Modal
      opened
      onClose={props.onClose}
      title={t('signon.addDomain')}
      closeButtonProps={{ 'aria-label': t('form.close') }}
    >
      <CallForm
        operation="Domain_Create"
        initial={{ name: '' }}
        check={({ name }) => ({ name: name.trim() === '' ? t('signon.fieldMissing') : null })}
        toRequest={({ name }) => ({ Tenant: ID, Name: name.trim() })}
        stale={stale}
        onDone={({ Domain }) => props.onClaimed(Domain)}
        onCancel={props.onClose}
        submit={t('signon.addDomain')}
      >
        {(form) => (
          <TextInput
            {...form.getInputProps('name')}
            label={t('signon.domain')}
            description={t('signon.domainAbout')}
            placeholder="example.com"
            autoComplete="off"
            spellCheck={false}
            data-autofocus
          />
        )}
      </CallForm>
    </Modal>
  );
}

/** The record that proves a domain, and the button that looks it up. */
export function RecordDialog({ domain, mayCheck, onClose }: Props & { mayCheck: boolean }) {
  const { t } = useTexts();
  const { Tenant, ID } = domain;
  const now = useCall('Domain_Get', { Tenant, ID }).data?.Domain ?? domain;
  const check = useChange('Domain_Verify', { stale });
  return (
    <Modal
      opened
      onClose={onClose}
      size="lg"
      title={now.Name}
      closeButtonProps={{ 'aria-label': t('form.close') }}
    >
      <Stack>
        <Text size="sm">{t('signon.recordAbout')}</Text>
        <ValuesToCopy
          values={[
            { name: t('signon.recordType'), value: 'TXT' },
            { name: t('signon.recordName'), value: now.TxtName },
            { name: t('signon.recordValue'), value: now.TxtValue },
          ]}
        />
        {now.Status === 'verified' && (
          <Alert color="teal" icon={<Icon name="check" />} title={t('signon.isVerified')}>
            {t('signon.isVerifiedAbout')}
          </Alert>
        )}
        {now.Status !== 'verified' && now.FailureReason !== '' && (
          <Alert
            role="alert"
            color="orange"
            icon={<Icon name="warning" />}
            title={t('signon.notFound')}
          >
            <span lang="en">{now.FailureReason}</span>
          </Alert>
        )}
        <FailureNotice error={check.error} />
        {mayCheck && (
          <Group>
            <Button loading={check.isPending} onClick={() => check.mutate({ Tenant, ID })}>
              {t('signon.checkNow')}
            </Button>
          </Group>
        )}
        <SameByApi operation="Domain_Verify" request={{ Tenant, ID }} />
      </Stack>
    </Modal>
  );
}

/** Changes how users of a domain join. */
export function EditDialog({ domain, onClose }: Props) {
  const { t } = useTexts();
  const notify = useNotify();
  const { Tenant, ID, Name, Capture, DefaultRole } = domain;
  return (
    <Modal
      opened
      onClose={onClose}
      title={Name}
      closeButtonProps={{ 'aria-label': t('form.close') }}
    >
      <CallForm
        operation="Domain_Update"
        initial={{ Capture, DefaultRole }}
        toRequest={({ Capture, DefaultRole }) => ({
          Tenant,
          ID,
          Capture,
          DefaultRole: DefaultRole.trim(),
        })}
        stale={stale}
        onDone={() => {
          onClose();
          notify(t('signon.saved', { name: Name }));
        }}
        onCancel={onClose}
        submit={t('form.save')}
      >
        {(form) => (
          <>
            <NativeSelect
              {...form.getInputProps('Capture')}
              label={t('signon.capture')}
              description={t('signon.captureAbout')}
              data={Object.entries(captures).map(([value, text]) => ({ value, label: t(text) }))}
              data-autofocus
            />
            <TextInput
              {...form.getInputProps('DefaultRole')}
              label={t('signon.defaultRole')}
              description={t('signon.defaultRoleAbout')}
              autoComplete="off"
            />
          </>
        )}
      </CallForm>
    </Modal>
  );
}

/** Gives a domain up. */
export function DeleteDomain({ domain, onClose }: Props) {
  const { t } = useTexts();
  const { Tenant, ID, Name } = domain;
  const change = useChange('Domain_Delete', { stale: ['Domain_List'] });
  return (
    <Confirm
      title={t('signon.deleteOf', { name: Name })}
      action={t('signon.delete')}
      phrase={Name}
      isBusy={change.isPending}
      error={change.error}
      onConfirm={() => change.mutate({ Tenant, ID }, { onSuccess: onClose })}
      onClose={onClose}
    >
      {t('signon.deleteDomainAbout')}
    </Confirm>
  );
}
