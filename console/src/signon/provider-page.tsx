import { Alert, Group, Skeleton, Stack, Text } from '@mantine/core';
import { useNavigate, useParams } from '@tanstack/react-router';
import { ActionDialog } from '../parts/action-dialog.tsx';
import { client, useCall } from '../parts/calls.ts';
import { Card } from '../parts/card.tsx';
import { Id } from '../parts/copy.tsx';
import { DialogButton } from '../parts/dialog-button.tsx';
import { ifUnchanged } from '../parts/edit-form.tsx';
import { FailureNotice } from '../parts/failure-notice.tsx';
import { Icon } from '../parts/icon.tsx';
import { Page } from '../parts/page.tsx';
import { SameByApi } from '../parts/same-by-api.tsx';
import { State } from '../parts/state.tsx';
import { useTexts } from '../parts/texts.tsx';
import { Time } from '../parts/time.tsx';
import { ValuesToCopy } from '../parts/values-to-copy.tsx';
import { useOwner } from '../shell/owner.ts';
import { Certificates } from './certificates.tsx';
import { placeOf } from './place.ts';
import type { Provider } from './provider-fields.ts';
import { ProviderForm } from './provider-form.tsx';
import { ProviderTest } from './provider-test.tsx';
import { serviceOf, setupOf } from './setups.ts';

/** One provider: the addresses to register there, its test, and who becomes a member. */
export function ProviderPage() {
  const { t } = useTexts();
  const owner = useOwner();
  const { scope, may } = owner;
  const { provider: id = '' } = useParams({ strict: false });
  const request = { ...scope, ID: id };
  const { data, error, refetch } = useCall('Sso_GetProvider', request);
  const back = {
    to: placeOf(owner),
    text: t(owner.name === '' ? 'signon.social' : 'signon.sso'),
  };
  if (!data)
    return (
      <Page title={t('signon.provider')} back={back}>
        {error ? (
          <FailureNotice error={error} onRetry={() => void refetch()} />
        ) : (
          <Skeleton height={160} />
        )}
      </Page>
    );
  const provider = data.Provider;
  const mayWrite = may('sso.write');
  return (
    <Page title={provider.Name} back={back} actions={mayWrite && <Actions provider={provider} />}>
      <Group gap="sm">
        <State color={provider.Active ? 'teal.9' : 'gray.7'}>
          {t(provider.Active ? 'signon.active' : 'signon.inactive')}
        </State>
        <Id id={provider.ID} />
      </Group>
      {provider.Unconfirmed && <Unconfirmed provider={provider} mayWrite={mayWrite} />}
      <Notices provider={provider} />
      <Card title={t('signon.register')} description={t('signon.registerAbout')}>
        <ValuesToCopy values={addressesOf(provider)} />
      </Card>
      {provider.Kind === 'saml' && (
        <Card title={t('signon.certificates')} description={t('signon.certificatesAbout')}>
          <Certificates provider={provider} mayWrite={mayWrite} />
        </Card>
      )}
      {mayWrite && (
        <>
          <Card title={t('signon.test')} description={t('signon.testAbout')}>
            <ProviderTest provider={provider}>
              {!provider.Active && <SwitchButton provider={provider} />}
            </ProviderTest>
          </Card>
          <ProviderForm key={provider.ID} provider={provider} />
        </>
      )}
      <SameByApi operation="Sso_GetProvider" request={request} />
    </Page>
  );
}

/** Says that the last change limits the provider's sessions, and confirms it. */
function Unconfirmed({ provider, mayWrite }: { provider: Provider; mayWrite: boolean }) {
  const { t } = useTexts();
  return (
    <Alert color="orange" icon={<Icon name="warning" />} title={t('signon.unconfirmed')}>
      <Stack gap="xs" align="flex-start">
        <Text size="sm">{t('signon.unconfirmedAbout')}</Text>
        {provider.SavedBy !== '' && <Id id={provider.SavedBy} />}
        {mayWrite && (
          <DialogButton
            text={t('signon.confirmProvider')}
            dialog={(onClose) => <ConfirmProvider provider={provider} onClose={onClose} />}
          />
        )}
      </Stack>
    </Alert>
  );
}

function ConfirmProvider({ provider, onClose }: DialogProps) {
  const { t } = useTexts();
  const { scope } = useOwner();
  const { ID, Name, UpdatedAt } = provider;
  const request = { ...scope, ID, IfUpdatedAt: UpdatedAt ?? '' };
  return (
    <ActionDialog
      operation="Sso_ConfirmProvider"
      request={request}
      stale={['Sso_GetProvider', 'Sso_ListProviders']}
      title={t('signon.confirmProviderOf', { name: Name })}
      action={t('signon.confirmProvider')}
      onClose={onClose}
    >
      {t('signon.confirmProviderAbout')}
    </ActionDialog>
  );
}

function addressesOf(provider: Provider) {
  const protocol = provider.Kind === 'saml' ? 'saml' : 'oidc';
  const { redirect = '', acs = '', entity = '' } = setupOf(serviceOf(provider), protocol);
  if (protocol === 'oidc') return [{ name: redirect, value: provider.RedirectURI }];
  return [
    { name: acs, value: provider.AcsURL },
    { name: entity, value: provider.SpEntityID },
  ];
}

function Actions({ provider }: { provider: Provider }) {
  const { t } = useTexts();
  return (
    <Group gap="xs">
      <SwitchButton provider={provider} />
      <DialogButton
        text={t('signon.delete')}
        dialog={(onClose) => <Delete provider={provider} onClose={onClose} />}
      />
    </Group>
  );
}

function SwitchButton({ provider }: { provider: Provider }) {
  const { t } = useTexts();
  return (
    <DialogButton
      text={t(provider.Active ? 'signon.disable' : 'signon.enable')}
      dialog={(onClose) => <Switch provider={provider} onClose={onClose} />}
    />
  );
}

type DialogProps = { provider: Provider; onClose: () => void };

function Switch({ provider, onClose }: DialogProps) {
  const { t } = useTexts();
  const { ID, Name, Active } = provider;
  const { scope } = useOwner();
  const requestOf = (isActive: boolean, last: Provider) => ({
    Provider: { ...scope, ID, Name, Active: isActive },
    ...ifUnchanged(last),
  });
  return (
    <ActionDialog
      operation="Sso_SaveProvider"
      request={requestOf(!Active, provider)}
      stale={['Sso_GetProvider', 'Sso_ListProviders']}
      title={t(Active ? 'signon.disableOf' : 'signon.enableOf', { name: Name })}
      action={t(Active ? 'signon.disable' : 'signon.enable')}
      notice={t(Active ? 'signon.disabledNow' : 'signon.enabledNow', { name: Name })}
      undo={({ Provider: saved }) => client.call('Sso_SaveProvider', requestOf(Active, saved))}
      onClose={onClose}
    >
      {t(Active ? 'signon.disableAbout' : 'signon.enableAbout')}
    </ActionDialog>
  );
}

function Delete({ provider, onClose }: DialogProps) {
  const { t } = useTexts();
  const owner = useOwner();
  const navigate = useNavigate();
  const { ID, Name } = provider;
  // Changes of a provider that is gone cannot be saved.
  const onSuccess = () => void navigate({ to: placeOf(owner), ignoreBlocker: true });
  return (
    <ActionDialog
      operation="Sso_DeleteProvider"
      request={{ ...owner.scope, ID }}
      stale={['Sso_ListProviders']}
      title={t('signon.deleteOf', { name: Name })}
      action={t('signon.delete')}
      phrase={Name}
      onDone={onSuccess}
      onClose={onClose}
    >
      {t('signon.deleteProviderAbout')}
    </ActionDialog>
  );
}

/** The last failure and the last warning of sign-ins. */
function Notices({ provider }: { provider: Provider }) {
  const { t } = useTexts();
  return (
    <>
      {provider.LastError !== '' && (
        <Alert color="orange" icon={<Icon name="warning" />} title={t('signon.lastError')}>
          <span lang="en">{provider.LastError}</span>
        </Alert>
      )}
      {provider.LastWarning !== '' && (
        <Alert color="orange" icon={<Icon name="warning" />} title={t('signon.lastWarning')}>
          <span lang="en">{provider.LastWarning}</span> <Time at={provider.LastWarningAt} />
        </Alert>
      )}
    </>
  );
}
