import type { ItemOf } from '@bailiwick/client/client.ts';
import { Button, Group, PasswordInput, Text } from '@mantine/core';
import { useState } from 'react';
import { ActionDialog } from '../parts/action-dialog.tsx';
import { pageOf, useCall } from '../parts/calls.ts';
import { FailureNotice } from '../parts/failure-notice.tsx';
import { FormDialog } from '../parts/form-dialog.tsx';
import { RowAction } from '../parts/row-action.tsx';
import { SameByApi } from '../parts/same-by-api.tsx';
import { State } from '../parts/state.tsx';
import { useTexts } from '../parts/texts.tsx';
import { useAccount } from '../shell/session.tsx';
import { Added } from './added.tsx';
import { Row, RowSkeleton, Section } from './section.tsx';

type Identity = ItemOf<'Users_ListIdentities'>;

/** The user's accounts at organisations' and other providers. */
export function Identities() {
  const { t } = useTexts();
  const { User } = useAccount();
  const [confirmed, setConfirmed] = useState<Identity>();
  const [removed, setRemoved] = useState<Identity>();
  const request = { UserID: User.ID, Page: { Limit: 50 } };
  const list = useCall('Users_ListIdentities', request);
  const page = pageOf<'Users_ListIdentities'>(list.data);
  return (
    <Section title={t('security.identities')} about={t('security.identitiesAbout')}>
      {list.isPending && <RowSkeleton />}
      <FailureNotice error={list.error} onRetry={() => void list.refetch()} />
      {page?.items.map((identity) => (
        <Entry
          key={identity.Provider}
          identity={identity}
          onConfirm={() => setConfirmed(identity)}
          onRemove={() => setRemoved(identity)}
        />
      ))}
      <LinkAnother linked={page?.items.map(({ Provider }) => Provider) ?? []} />
      <SameByApi operation="Users_ListIdentities" request={request} />
      {confirmed && <ConfirmLink identity={confirmed} onClose={() => setConfirmed(undefined)} />}
      {removed && <Remove identity={removed} onClose={() => setRemoved(undefined)} />}
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

type EntryProps = { identity: Identity; onConfirm: () => void; onRemove: () => void };

function Entry({ identity, onConfirm, onRemove }: EntryProps) {
  const { t } = useTexts();
  const { Email, Issuer, Limited } = identity;
  const name = (
    <>
      <Text fw={500}>{Email || Issuer}</Text>
      {Limited && <State color="orange.9">{t('security.limited')}</State>}
    </>
  );
  const about = (
    <>
      {Issuer}
      {' · '}
      <Added {...identity} />
    </>
  );
  return (
    <Row name={name} about={about}>
      {Limited && <RowAction onClick={onConfirm}>{t('security.confirm')}</RowAction>}
      <RowAction
        isRed
        aria-label={t('security.removeOf', { name: Email || Issuer })}
        onClick={onRemove}
      >
        {t('security.remove')}
      </RowAction>
    </Row>
  );
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
      done={t('security.linkConfirmed')}
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

function Remove({ identity: { UserID, Provider, Email, Issuer }, onClose }: Props) {
  const { t } = useTexts();
  const name = Email || Issuer;
  return (
    <ActionDialog
      operation="Users_RemoveIdentity"
      request={{ UserID, Provider }}
      stale={['Users_ListIdentities', 'Sessions_List']}
      title={t('security.removeTitle', { name })}
      action={t('security.remove')}
      done={t('security.removed', { name })}
      onClose={onClose}
    >
      {t('security.identityRemoveAbout')}
    </ActionDialog>
  );
}
