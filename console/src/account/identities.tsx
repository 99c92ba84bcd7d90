import type { ItemOf } from '@bailiwick/client/client.ts';
import { Button, Group, PasswordInput, Text } from '@mantine/core';
import { ActionDialog } from '../parts/action-dialog.tsx';
import { pageOf, useCall } from '../parts/calls.ts';
import { FailureNotice } from '../parts/failure-notice.tsx';
import { FormDialog } from '../parts/form-dialog.tsx';
import { SameByApi } from '../parts/same-by-api.tsx';
import { State } from '../parts/state.tsx';
import { useTexts } from '../parts/texts.tsx';
import { useAccount } from '../shell/session.tsx';
import { Added } from './added.tsx';
import { Records, Section } from './section.tsx';

type Identity = ItemOf<'Users_ListIdentities'>;

const nameOf = ({ Email, Issuer }: Identity): string => Email || Issuer;

/** The user's accounts at organisations' and other providers. */
export function Identities() {
  const { t } = useTexts();
  const { User } = useAccount();
  const request = { UserID: User.ID, Page: { Limit: 50 } };
  const list = useCall('Users_ListIdentities', request);
  const page = pageOf<'Users_ListIdentities'>(list.data);
  return (
    <Section title={t('security.identities')} description={t('security.identitiesAbout')}>
      <FailureNotice error={list.error} onRetry={() => void list.refetch()} />
      <Records
        isLoading={list.isPending}
        items={page?.items ?? []}
        idOf={({ Provider }) => Provider}
        nameOf={nameOf}
        stateOf={({ Limited }) =>
          Limited && <State color="orange.9">{t('security.limited')}</State>
        }
        detailOf={(identity) => (
          <>
            {identity.Issuer}
            {' · '}
            <Added {...identity} />
          </>
        )}
        actions={[
          {
            text: t('security.confirm'),
            label: (identity) => `${t('security.confirm')}: ${nameOf(identity)}`,
            isOffered: ({ Limited }) => Limited,
            dialog: (identity, onClose) => <ConfirmLink identity={identity} onClose={onClose} />,
          },
          {
            text: t('security.remove'),
            label: (identity) => t('security.removeOf', { name: nameOf(identity) }),
            dialog: (identity, onClose) => <Remove identity={identity} onClose={onClose} />,
          },
        ]}
      />
      <LinkAnother linked={page?.items.map(({ Provider }) => Provider) ?? []} />
      <SameByApi operation="Users_ListIdentities" request={request} />
    </Section>
  );
}

/** The installation's providers. The sign-in there leads back here and asks whether to link. */
function LinkAnother({ linked }: { linked: readonly string[] }) {
  const { t } = useTexts();
  const { data } = useCall('Sso_ListSocialProviders', {}, { staleTime: 60_000 });
  const others = data?.Providers.filter(({ ID }) => !linked.includes(ID)) ?? [];
  if (others.length === 0) return undefined;
  return (
    <div>
      <Text size="sm" mb="xs">
        {t('security.linkAbout')}
      </Text>
      <Group gap="xs">
        {others.map(({ ID, Name, LoginURL }) => (
          <Button key={ID} component="a" href={linkAddress(LoginURL)} variant="default">
            {t('security.link', { name: Name })}
          </Button>
        ))}
      </Group>
    </div>
  );
}

function linkAddress(loginUrl: string): string {
  const target = new URL(loginUrl);
  target.searchParams.set('return_to', '/account/security');
  return target.href;
}

type Props = { identity: Identity; onClose: () => void };

/** Proves with the password that a link by the address alone belongs to the user. */
function ConfirmLink({ identity: { UserID, Provider }, onClose }: Props) {
  const { t } = useTexts();
  const { User } = useAccount();
  return (
    <FormDialog
      onClose={onClose}
      title={t('security.confirmLink')}
      operation="Users_ConfirmIdentity"
      initial={{ password: '' }}
      toRequest={({ password }) => ({ UserID, Provider, Password: password })}
      secret={{ password: '…' }}
      stale={['Users_ListIdentities', 'Account_Get']}
      notice={t('security.linkConfirmed')}
      submit={t('security.confirm')}
    >
      {(form) => (
        <>
          <Text size="sm">{t('security.confirmLinkAbout')}</Text>
          {User.HasPassword && (
            <PasswordInput
              {...form.getInputProps('password')}
              label={t('security.password')}
              autoComplete="current-password"
              visibilityToggleButtonProps={{ 'aria-label': t('security.showPassword') }}
              data-autofocus
            />
          )}
        </>
      )}
    </FormDialog>
  );
}

function Remove({ identity, onClose }: Props) {
  const { t } = useTexts();
  const { UserID, Provider } = identity;
  const name = nameOf(identity);
  return (
    <ActionDialog
      operation="Users_RemoveIdentity"
      request={{ UserID, Provider }}
      stale={['Users_ListIdentities', 'Sessions_List']}
      title={t('security.removeTitle', { name })}
      action={t('security.remove')}
      notice={t('security.removed', { name })}
      onClose={onClose}
    >
      {t('security.identityRemoveAbout')}
    </ActionDialog>
  );
}
