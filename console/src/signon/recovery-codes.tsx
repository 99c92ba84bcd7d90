import { Alert, Button, Group, Text } from '@mantine/core';
import { useState } from 'react';
import { useCall, useChange } from '../parts/calls.ts';
import { Confirm } from '../parts/confirm.tsx';
import { FailureNotice } from '../parts/failure-notice.tsx';
import { Icon } from '../parts/icon.tsx';
import { SameByApi } from '../parts/same-by-api.tsx';
import { ShownOnce } from '../parts/shown-once.tsx';
import { useTexts } from '../parts/texts.tsx';

type Props = { tenant: string };

/** The codes that let owners in while the provider is broken. */
export function RecoveryCodes({ tenant: Tenant }: Props) {
  const { t } = useTexts();
  const [codes, setCodes] = useState<readonly string[]>();
  const [isAsked, setAsked] = useState(false);
  const requirement = useCall('Sso_GetRequirement', { Tenant });
  return (
    <>
      <FailureNotice error={requirement.error} onRetry={() => void requirement.refetch()} />
      {requirement.data?.Required === true && requirement.data.RecoveryCodesLeft === 0 && (
        <Alert color="orange" icon={<Icon name="warning" />} title={t('signon.codesNone')}>
          {t('signon.codesNoneAbout')}
        </Alert>
      )}
      <Text size="sm">{t('signon.codesAbout')}</Text>
      {requirement.data && (
        <Group>
          <Text size="sm" fw={500}>
            {t('signon.codesLeft', { left: String(requirement.data.RecoveryCodesLeft) })}
          </Text>
          <Button variant="default" onClick={() => setAsked(true)}>
            {t('signon.codesMake')}
          </Button>
        </Group>
      )}
      <SameByApi operation="Sso_CreateRecoveryCodes" request={{ Tenant }} />
      {isAsked && <MakeCodes tenant={Tenant} onCodes={setCodes} onClose={() => setAsked(false)} />}
      {codes && (
        <ShownOnce
          title={t('signon.codes')}
          secret={codes.join('\n')}
          onClose={() => setCodes(undefined)}
        >
          {t('signon.codesKeep')}
        </ShownOnce>
      )}
    </>
  );
}

type MakeProps = Props & { onCodes: (codes: readonly string[]) => void; onClose: () => void };

/** Asks first, since the earlier codes are void afterwards. */
function MakeCodes({ tenant: Tenant, onCodes, onClose }: MakeProps) {
  const { t } = useTexts();
  const change = useChange('Sso_CreateRecoveryCodes', { stale: ['Sso_GetRequirement'] });
  const onSuccess = ({ Codes }: { Codes: readonly string[] }) => {
    onClose();
    onCodes(Codes);
  };
  return (
    <Confirm
      title={t('signon.codesMake')}
      action={t('signon.codesMake')}
      isBusy={change.isPending}
      error={change.error}
      onConfirm={() => change.mutate({ Tenant }, { onSuccess })}
      onClose={onClose}
    >
      {t('signon.codesMakeAbout')}
    </Confirm>
  );
}
