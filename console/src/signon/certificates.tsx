import type { ItemOf } from '@bailiwick/client/client.ts';
import { Alert, Code, Group, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { ActionDialog } from '../parts/action-dialog.tsx';
import { DialogButton } from '../parts/dialog-button.tsx';
import { ifUnchanged } from '../parts/edit-form.tsx';
import { Icon } from '../parts/icon.tsx';
import { useTexts } from '../parts/texts.tsx';
import { Time } from '../parts/time.tsx';
import { useOwner } from '../shell/owner.ts';

type Provider = ItemOf<'Sso_ListProviders'>;
type PendingCertificate = Provider['PendingCertificates'][number];
type Props = { provider: Provider; mayWrite: boolean };

const stale = ['Sso_GetProvider', 'Sso_ListProviders'] as const;

/** The certificates of a SAML provider that come and go with its metadata. */
export function Certificates({ provider, mayWrite }: Props) {
  const { t } = useTexts();
  const { PendingCertificates, LeavingCertificates, MetadataURL, MetadataError } = provider;
  return (
    <Stack align="flex-start">
      {MetadataError !== '' && (
        <Alert color="orange" icon={<Icon name="warning" />} title={t('signon.metadataError')}>
          <span lang="en">{MetadataError}</span>
        </Alert>
      )}
      <Fact name={t('signon.certificatesExpire')}>
        <Time at={provider.CertificatesExpireAt} />
      </Fact>
      {MetadataURL !== '' && (
        <Fact name={t('signon.metadataRead')}>
          <Time at={provider.MetadataReadAt} />
        </Fact>
      )}
      {PendingCertificates.map((pending) => (
        <New key={pending.Fingerprint} {...{ provider, pending, mayWrite }} />
      ))}
      {LeavingCertificates.map(({ Fingerprint, EndsAt }) => (
        <Stack key={Fingerprint} gap={4}>
          <Text fw={600}>{t('signon.leavingCertificate')}</Text>
          <Print text={Fingerprint} />
          <Fact name={t('signon.leaves')}>
            <Time at={EndsAt} />
          </Fact>
        </Stack>
      ))}
      {mayWrite && MetadataURL !== '' && <ReadNow provider={provider} />}
    </Stack>
  );
}

const Fact = ({ name, children }: { name: string; children: ReactNode }) => (
  <Group gap={6}>
    <Text size="sm" c="dimmed">
      {name}
    </Text>
    <Text size="sm">{children}</Text>
  </Group>
);

/** A fingerprint, to compare with the one at the provider. */
const Print = ({ text }: { text: string }) => (
  <Code style={{ overflowWrap: 'anywhere' }}>{text}</Code>
);

function New({ provider, pending, mayWrite }: Props & { pending: PendingCertificate }) {
  const { t } = useTexts();
  const { Fingerprint, CountsAt, ExpiresAt } = pending;
  return (
    <Alert color="blue" icon={<Icon name="key" />} title={t('signon.newCertificate')} w="100%">
      <Stack gap={6} align="flex-start">
        <Print text={Fingerprint} />
        {CountsAt === undefined ? (
          <Text size="sm">{t('signon.certificateWaits')}</Text>
        ) : (
          <Fact name={t('signon.countsFrom')}>
            <Time at={CountsAt} />
          </Fact>
        )}
        <Fact name={t('signon.certificateExpires')}>
          <Time at={ExpiresAt} />
        </Fact>
        {mayWrite && (
          <DialogButton
            text={t('signon.confirmCertificate')}
            dialog={(onClose) => (
              <ConfirmCertificate provider={provider} fingerprint={Fingerprint} onClose={onClose} />
            )}
          />
        )}
      </Stack>
    </Alert>
  );
}

type ConfirmProps = { provider: Provider; fingerprint: string; onClose: () => void };

function ConfirmCertificate({ provider, fingerprint, onClose }: ConfirmProps) {
  const { t } = useTexts();
  const { ID, Tenant, UpdatedAt } = provider;
  const request = { Tenant, ID, Fingerprint: fingerprint, IfUpdatedAt: UpdatedAt ?? '' };
  return (
    <ActionDialog
      operation="Sso_ConfirmCertificate"
      request={request}
      stale={stale}
      title={t('signon.confirmCertificateOf')}
      action={t('signon.confirmCertificate')}
      onClose={onClose}
    >
      <Stack gap="xs">
        <span>{t('signon.confirmCertificateAbout')}</span>
        <Print text={fingerprint} />
      </Stack>
    </ActionDialog>
  );
}

/** Takes addresses and certificates from the metadata, as the first save did. */
function ReadNow({ provider }: { provider: Provider }) {
  const { t } = useTexts();
  const { scope } = useOwner();
  const { ID, MetadataURL } = provider;
  return (
    <DialogButton
      text={t('signon.metadataNow')}
      dialog={(onClose) => (
        <ActionDialog
          operation="Sso_SaveProvider"
          request={{ Provider: { ...scope, ID }, MetadataURL, ...ifUnchanged(provider) }}
          stale={stale}
          title={t('signon.metadataNowOf')}
          action={t('signon.metadataNow')}
          onClose={onClose}
        >
          {t('signon.metadataNowAbout')}
        </ActionDialog>
      )}
    />
  );
}
