import type { ResponseOf } from '@bailiwick/client/client.ts';
import { ActionDialog } from '../parts/action-dialog.tsx';
import { DialogButton } from '../parts/dialog-button.tsx';
import { SameByApi } from '../parts/same-by-api.tsx';
import { useTexts } from '../parts/texts.tsx';
import { Added } from './added.tsx';
import { AppDialog } from './app-dialog.tsx';
import { Records, Section } from './section.tsx';

type Factor = ResponseOf<'Factors_List'>['Factors'][number];
type Props = { factors: readonly Factor[] | undefined; onAdded: () => void };

export function Apps({ factors, onAdded }: Props) {
  const { t } = useTexts();
  const apps = factors?.filter(({ Kind }) => Kind === 'totp');
  return (
    <Section
      title={t('security.apps')}
      description={t('security.appsAbout')}
      action={
        <DialogButton
          text={t('security.appAdd')}
          dialog={(onClose) => <AppDialog onAdded={onAdded} onClose={onClose} />}
        />
      }
    >
      <Records
        isLoading={!apps}
        items={apps ?? []}
        idOf={({ ID }) => ID}
        nameOf={({ Name }) => Name}
        detailOf={(app) => <Added {...app} />}
        actions={[
          {
            text: t('security.remove'),
            label: ({ Name }) => t('security.removeOf', { name: Name }),
            dialog: (app, onClose) => <Remove app={app} onClose={onClose} />,
          },
        ]}
      />
      <SameByApi operation="Factors_List" request={{}} />
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
      notice={t('security.removed', { name: Name })}
      onClose={onClose}
    >
      {t('security.appRemoveAbout')}
    </ActionDialog>
  );
}
