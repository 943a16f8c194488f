/** 日本語：お客様のその他の画面。Terms as in glossary.md. */
import { type PassengerWords, said } from "./dictionary.ts";
import { plural } from "./forms.ts";

const TYPE = "写真を選ぶか、代わりに予約番号を入力してください。";

export const passenger: PassengerWords = {
  scan: {
    title: "搭乗券をスキャン",
    lead: "紙または別の画面に表示した搭乗券の2次元コードまたはバーコードを、カメラで読み取ります。",
    privacy:
      "カメラの使用を許可するかどうか、ブラウザーに確認が表示されます。画像はこの端末に残り、旅程を探すためにコードの文字だけが送信されます。",
    open: "カメラを開く",
    opening: "カメラを開いています…",
    picture: "カメラの映像",
    aim: "コード全体を枠の中に入れてください。",
    searching: "コードを探しています…",
    slow: "読み取れませんか？近づける、反射を避ける、または写真をお選びください。",
    finding: "読み取りました。旅程を探しています…",
    lightOn: "ライトをつける",
    lightOff: "ライトを消す",
    stop: "カメラを閉じる",
    photo: "写真を選ぶ",
    readingPhoto: "写真を読み取っています…",
    type: "代わりに予約番号を入力",
    again: "もう一度スキャン",
  },
  camera: {
    refused: said(
      "このページはカメラを使用できません。",
      "ブラウザーの設定でカメラを許可するか、写真を選んでください。",
    ),
    blocked: said("組織の設定により、カメラを使用できません。", TYPE),
    missing: said("この端末にはここで使えるカメラがありません。", TYPE),
    busy: said("別のアプリがカメラを使用しています。", "そのアプリを閉じて、もう一度お試しください。"),
    lost: said("カメラが停止しました。", "もう一度開いてください。"),
    reader_unavailable: said(
      "コードリーダーを読み込めませんでした。",
      "インターネット接続を確認して、もう一度お試しください。",
    ),
    no_code: said(
      "この写真には読み取れるコードがありません。",
      "コード全体がはっきり写った写真を選んでください。",
    ),
    not_boarding_pass: said(
      "そのコードは搭乗券のものではありません。",
      "航空会社が発行した搭乗券のコードをお見せください。",
    ),
    not_a_picture: said(
      "このファイルは画像ではありません。",
      "搭乗券の写真またはスクリーンショットを選んでください。",
    ),
  },
  handOver: {
    titleAs: (name) => `${name} 様として続けますか？`,
    title: "ここで続けますか？",
    lead: (host) => `${host} がこのページへのサインインを求めています。`,
    warning: "たった今そこから移動してきたご本人の場合のみ、続けてください。",
    about: "引き継がれた内容",
    sender: "引き継ぎ元",
    passenger: "お客様",
    recordLocator: "予約番号",
    go: "続ける",
    refuse: "いいえ、最初の画面へ",
    signingIn: "サインインしています…",
    waiting: "航空会社のアプリを待っています…",
    nothing: "何も引き継がれませんでした",
    nothingNext: "航空会社のアプリからもう一度このページを開くか、ご自分で旅程をお探しください。",
    expired: "このサインインは無効になりました",
    expiredNext: "航空会社のアプリに戻り、そこからこのページをもう一度開いてください。",
    checking: "手続きの終わっていないタグがないか確認しています…",
    locksTitle: "先にタグの手続きを終えてください",
    locks: (tags) =>
      `タグ ${tags} は、このページで開いた旅程にロックされたままです。別のサインインをすると、このページから消去できなくなります。`,
    outboxTitle: "確認中のタグがあります",
    outbox:
      "このページから航空会社にまだ通知していません。別のサインインをすると、通知が失われるおそれがあります。",
    unknownTitle: "現在タグを確認できません",
    unknown: "別のサインインの前に、手続きの終わっていないタグがないことを確かめる必要があります。",
    clear: (tag) => `タグ ${tag} を消去`,
    confirm: "今すぐ通知",
    choose: "どの旅程ですか？",
    journey: (destination, day) => `${destination} 行き、${day}`,
    stay: "このまま続ける",
  },
  kept: {
    title: "ご旅程",
    open: "旅程を開く",
    since: (moment) => `${moment} 時点`,
    offlineTitle: "オフラインです",
    offline: (moment) => `${moment} 時点の旅程です。オンラインに戻るとタグに書き込めます。`,
    forget: "この端末から私の情報を消す",
    forgetTitle: "この端末からお客様の情報を消しますか？",
    forgetBody: "このページから旅程とお客様の情報が消えます。タグの表示はそのまま残り、ロックも続きます。",
    forgetYes: "消す",
    forgetting: "消しています…",
    forgetWaiting: "確認中のタグがあります。今消すと、航空会社に伝わらないおそれがあります。",
    forgetAnyway: "それでも消す",
    forgotten: "この端末からお客様の情報を消しました。",
  },
  arrival: {
    title: "到着されましたか？タグを消去してください",
    body: "古い情報が残っていると、次のご旅行で手荷物が誤った行き先に運ばれることがあります。",
    clear: (tag) => `タグ ${tag} を消去`,
  },
  lost: {
    badge: "紛失届済み",
    report: "紛失を届け出る",
    title: (tag) => `タグ ${tag} の紛失を届け出ますか？`,
    body: "届け出ると、お客様と航空会社のスタッフだけが書き込みや消去を行えます。手荷物はこの旅程に残ります。",
    yes: "紛失を届け出る",
    working: "お待ちください…",
    found: "見つかりました",
    foundLabel: (tag) => `タグ ${tag} が見つかりました`,
  },
  attempts: {
    title: plural("ja", { other: "このタグのロックを解除しようとした人がいます（{n}回）" }),
    body: (moment) =>
      `入力された情報は誤りでした（最終：${moment}）。お心当たりがなければ、手荷物にご注意ください。`,
  },
  remembered: {
    ready: (tag) => `タグ ${tag} を起動して端末に近づけてください。今回は一覧から選ぶ必要はありません。`,
    use: (tag) => `タグ ${tag} を使う`,
    other: "別のタグを選ぶ",
    looking: (tag) => `タグ ${tag} を探しています…`,
    away: (tag) => `タグ ${tag} が近くにありません`,
    awayNext: "ボタンを押して起動し、もう一度試すか、一覧からタグを選んでください。",
  },
  unsupported: {
    ios: "iPhone と iPad のブラウザーでは利用できません。Android スマートフォンかパソコン、または紙のタグをご利用ください。",
    inApp: "このページを別のアプリの中ではなく、Chrome で開いてください。",
  },
};
