import { Alert, Group, Text } from '@mantine/core';
import { useState } from 'react';
import { ActionDialog } from '../parts/action-dialog.tsx';
import { useCall } from '../parts/calls.ts';
import { DialogButton } from '../parts/dialog-button.tsx';
import { FailureNotice } from '../parts/failure-notice.tsx';
import { Icon } from '../parts/icon.tsx';
import { SameByApi } from '../parts/same-by-api.tsx';
import { ShownOnce } from '../parts/shown-once.tsx';
import { useTexts } from '../parts/texts.tsx';

type Props = { tenant: string };

/** The codes that let owners in while the provider is broken. */
export function RecoveryCodes({ tenant: Tenant }: Props) {
  const { t } = useTexts();
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
          <Text size="sm" fw={600}>
            {t('signon.codesLeft', { left: String(requirement.data.RecoveryCodesLeft) })}
          </Text>
          <DialogButton
            text={t('signon.codesMake')}
            dialog={(onClose) => <MakeCodes tenant={Tenant} onClose={onClose} />}
          />
        </Group>
      )}
      <SameByApi operation="Sso_CreateRecoveryCodes" request={{ Tenant }} />
    </>
  );
}

/** Asks first, since the earlier codes are void afterwards, and then shows the new ones. */
function MakeCodes({ tenant: Tenant, onClose }: Props & { onClose: () => void }) {
  const { t } = useTexts();
  const [codes, setCodes] = useState<readonly string[]>();
  if (codes)
    return (
      <ShownOnce title={t('signon.codes')} secret={codes.join('\n')} onClose={onClose}>
        {t('signon.codesKeep')}
      </ShownOnce>
    );
  return (
    <ActionDialog
      operation="Sso_CreateRecoveryCodes"
      request={{ Tenant }}
      stale={['Sso_GetRequirement']}
      title={t('signon.codesMake')}
      action={t('signon.codesMake')}
      onDone={({ Codes }) => setCodes(Codes)}
      onClose={onClose}
    >
      {t('signon.codesMakeAbout')}
    </ActionDialog>
  );
}
