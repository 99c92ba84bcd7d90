import type { ItemOf, OperationName } from '@bailiwick/client/client.ts';
import { Alert, Button, Group, NativeSelect, Stack, Text, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { ActionDialog } from '../parts/action-dialog.tsx';
import { useCall, useChange } from '../parts/calls.ts';
import { Dialog } from '../parts/dialog.tsx';
import { FailureNotice } from '../parts/failure-notice.tsx';
import { FormDialog } from '../parts/form-dialog.tsx';
import { Icon } from '../parts/icon.tsx';
import { SameByApi } from '../parts/same-by-api.tsx';
import type { TextKey } from '../parts/text-keys.ts';
import { useTexts } from '../parts/texts.tsx';
import { Time } from '../parts/time.tsx';
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

/** Claims a domain, and then shows the record that proves it. */
export function ClaimDialog({ onClose }: { onClose: () => void }) {
  const { t } = useTexts();
  const { ID } = useTenant();
  const [domain, setDomain] = useState<Domain>();
  if (domain) return <RecordDialog domain={domain} mayCheck onClose={onClose} />;
  return (
    <FormDialog
      title={t('signon.addDomain')}
      operation="Domain_Create"
      initial={{ name: '' }}
      check={({ name }) => ({ name: name.trim() === '' ? t('signon.fieldMissing') : null })}
      toRequest={({ name }) => ({ Tenant: ID, Name: name.trim() })}
      stale={stale}
      onDone={({ Domain }) => setDomain(Domain)}
      onClose={onClose}
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
    </FormDialog>
  );
}

/** The record that proves a domain, and the button that looks it up. */
export function RecordDialog({ domain, mayCheck, onClose }: Props & { mayCheck: boolean }) {
  const { t } = useTexts();
  const { Tenant, ID } = domain;
  const { data } = useCall(
    'Domain_Get',
    { Tenant, ID },
    { refreshes: (answer) => answer?.Domain.Status === 'pending' },
  );
  const now = data?.Domain ?? domain;
  const check = useChange('Domain_Verify', { stale });
  const isEarly = check.error?.Code === 'resource_exhausted';
  const queries = useQueryClient();
  useEffect(() => {
    if (now.Status !== domain.Status)
      void queries.invalidateQueries({ queryKey: ['Domain_List'] satisfies [OperationName] });
  }, [queries, now.Status, domain.Status]);
  return (
    <Dialog onClose={onClose} size="lg" title={now.Name}>
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
        {now.Status === 'pending' && <WaitingForDns domain={now} />}
        {(now.Status === 'lapsed' || now.Status === 'failed') && now.FailureReason !== '' && (
          <Alert
            role="alert"
            color="orange"
            icon={<Icon name="warning" />}
            title={t('signon.notFound')}
          >
            <span lang="en">{now.FailureReason}</span>
          </Alert>
        )}
        <FailureNotice error={isEarly ? undefined : check.error} />
        {mayCheck && (
          <Group>
            <Button loading={check.isPending} onClick={() => check.mutate({ Tenant, ID })}>
              {t('signon.checkNow')}
            </Button>
            <Text size="sm" c="dimmed" role="status">
              {isEarly && t('signon.justChecked')}
            </Text>
          </Group>
        )}
        <SameByApi operation="Domain_Verify" request={{ Tenant, ID }} />
      </Stack>
    </Dialog>
  );
}

/** The state of a claim: the service looks for the record until it is there. */
function WaitingForDns({ domain: { FailureReason, LastCheckedAt } }: Pick<Props, 'domain'>) {
  const { t } = useTexts();
  return (
    <Alert
      role="status"
      color="accent"
      icon={<Icon name="history" />}
      title={t('signon.waitingForDns')}
    >
      <Text size="sm">{t('signon.waitingForDnsAbout')}</Text>
      {FailureReason !== '' && (
        <Text size="sm" mt="xs">
          {t('signon.checked')}: <Time at={LastCheckedAt} /> –{' '}
          <span lang="en">{FailureReason}</span>
        </Text>
      )}
    </Alert>
  );
}

/** Changes how users of a domain join. */
export function EditDialog({ domain, onClose }: Props) {
  const { t } = useTexts();
  const { Tenant, ID, Name, Capture, DefaultRole } = domain;
  return (
    <FormDialog
      onClose={onClose}
      title={Name}
      operation="Domain_Update"
      initial={{ Capture, DefaultRole }}
      toRequest={({ Capture, DefaultRole }) => ({
        Tenant,
        ID,
        Capture,
        DefaultRole: DefaultRole.trim(),
      })}
      stale={stale}
      notice={t('signon.saved', { name: Name })}
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
    </FormDialog>
  );
}

/** Gives a domain up. */
export function DeleteDomain({ domain, onClose }: Props) {
  const { t } = useTexts();
  const { Tenant, ID, Name } = domain;
  return (
    <ActionDialog
      operation="Domain_Delete"
      request={{ Tenant, ID }}
      stale={['Domain_List']}
      title={t('signon.deleteOf', { name: Name })}
      action={t('signon.delete')}
      phrase={Name}
      onClose={onClose}
    >
      {t('signon.deleteDomainAbout')}
    </ActionDialog>
  );
}
