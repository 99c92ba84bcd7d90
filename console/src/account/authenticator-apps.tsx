import type { ResponseOf } from '@bailiwick/client/client.ts';
import { Text } from '@mantine/core';
import { useState } from 'react';
import { ActionDialog } from '../parts/action-dialog.tsx';
import { DialogButton } from '../parts/dialog-button.tsx';
import { RowAction } from '../parts/row-action.tsx';
import { SameByApi } from '../parts/same-by-api.tsx';
import { useTexts } from '../parts/texts.tsx';
import { Added } from './added.tsx';
import { AppDialog } from './app-dialog.tsx';
import { Row, RowSkeleton, Section } from './section.tsx';

type Factor = ResponseOf<'Factors_List'>['Factors'][number];
type Props = { factors: readonly Factor[] | undefined; onAdded: () => void };

/** The user's authenticator apps. */
export function Apps({ factors, onAdded }: Props) {
  const { t } = useTexts();
  const [removed, setRemoved] = useState<Factor>();
  const apps = factors?.filter(({ Kind }) => Kind === 'totp');
  return (
    <Section
      title={t('security.apps')}
      about={t('security.appsAbout')}
      action={
        <DialogButton
          text={t('security.appAdd')}
          dialog={(onClose) => <AppDialog onAdded={onAdded} onClose={onClose} />}
        />
      }
    >
      {!apps && <RowSkeleton />}
      {apps?.map((app) => (
        <Row key={app.ID} name={<Text fw={500}>{app.Name}</Text>} about={<Added {...app} />}>
          <RowAction
            isRed
            aria-label={t('security.removeOf', { name: app.Name })}
            onClick={() => setRemoved(app)}
          >
            {t('security.remove')}
          </RowAction>
        </Row>
      ))}
      <SameByApi operation="Factors_List" request={{}} />
      {removed && <Remove app={removed} onClose={() => setRemoved(undefined)} />}
    </Section>
  );
}

function Remove({ app: { ID, Name }, onClose }: { app: Factor; onClose: () => void }) {
  const { t } = useTexts();
  return (
    <ActionDialog
      operation="Factors_Remove"
      request={{ ID }}
      stale={['Factors_List']}
      title={t('security.removeTitle', { name: Name })}
      action={t('security.remove')}
      done={t('security.removed', { name: Name })}
      onClose={onClose}
    >
      {t('security.appRemoveAbout')}
    </ActionDialog>
  );
}
