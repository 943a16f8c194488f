/** 日本語：エラー。Terms as in glossary.md. */
import type { ErrorWords } from "./dictionary.ts";
import { text } from "./forms.ts";

const AGAIN = "もう一度お試しください。";
const OPERATOR = "紙のタグをご利用になり、航空会社のスタッフにお知らせください。";
const SIGN_IN = "トップに戻り、ご旅程をもう一度お探しください。";
const UPDATE = "ページを再読み込みして最新版にしてください。";
const CHECKED = "このご旅行では使用せず、点検を受けてください。";
const CLOSER = "タグをこの端末に近づけて、もう一度お試しください。";
const TWICE = "もう一度お試しください。繰り返す場合は、タグの点検が必要です。";
const SECONDS = "数秒待ってから、もう一度お試しください。";
const MINUTE = "1分ほど待ってから、もう一度お試しください。";
const ONLINE = "インターネット接続を確認して、もう一度お試しください。";
const HELP = "航空会社のスタッフにお尋ねください。";

export const errors = {
  cancelled: text("キャンセルしました。", "何も変更されていません。"),
  invalid_request: text("リクエストに誤りがあります。", "入力内容を確認して、もう一度お試しください。"),
  busy: text("このタグは処理中です。", "終わるまで待ってから、もう一度お試しください。"),
  unknown_device: text("タグとの接続が失われました。", "タグをもう一度選んでください。"),
  outbox_not_empty: text(
    "確認中のタグがあります。",
    "しばらくオンラインのままお待ちになり、その後サインアウトしてください。",
  ),
  clock_wrong: text(
    "この端末の日付または時刻が正しくないようです。",
    "設定で日付と時刻を自動にして、もう一度お試しください。",
  ),
  internal: text(
    "予期しない問題が発生しました。",
    "もう一度お試しください。繰り返す場合は、「詳細」にあるコードをスタッフにお見せください。",
  ),
  unsupported: text(
    "このブラウザーはバゲージタグと通信できません。",
    "Android、Windows、Mac、ChromeOS の Chrome か Edge でこのページを開いてください。",
  ),
  insecure_context: text(
    "このページは安全な方法で開かれていません。",
    "https で始まるアドレスで開き直してください。",
  ),
  blocked_by_policy: text(
    "組織またはこのブラウザーの設定により、Bluetooth を使用できません。",
    "設定でこのサイトに許可してください。できない場合は、端末の管理者に問い合わせてください。",
  ),
  bluetooth_off: text(
    "Bluetooth がオフになっているか、この端末に搭載されていません。",
    "設定でオンにするか、別の端末をお使いください。",
  ),
  bluetooth_unavailable: text(
    "Bluetooth がオフになっているか、このブラウザーでの使用が許可されていません。",
    "設定でオンにしてください。すでにオンの場合は、端末の管理者に問い合わせてください。",
  ),
  permission_refused: text(
    "このページは Bluetooth を使用できません。",
    "設定でこのブラウザーに付近のデバイスを許可して、もう一度お試しください。",
  ),
  needs_user_gesture: text("タグの一覧はタップしたときだけ開きます。", "ボタンをもう一度押してください。"),
  out_of_reach: text(
    "タグから応答がありません。",
    "タグのボタンを押して起動し、この端末に近づけて、もう一度お試しください。",
  ),
  link_lost: text("タグとの接続が切れました。", CLOSER),
  timeout: text("タグの応答に時間がかかりすぎました。", CLOSER),
  not_a_tag: text(
    "そのデバイスは対応しているバゲージタグではありません。",
    "名前が EBT で始まるものを選んでください。",
  ),
  operation_refused: text("タグがこの端末での操作を拒否しました。", TWICE),
  link_busy: text("この端末の Bluetooth は使用中です。", SECONDS),
  wrong_tag: text("選んだタグとは別のタグです。", "タグに印刷された番号を確かめて、選び直してください。"),
  untrusted_tag: text("このタグが本物であることを確認できませんでした。", CHECKED),
  generation_refused: text("このタグは古い接続方式を求めました。", CHECKED),
  outdated_table: text(
    "この端末には、タグの更新前の情報が残っています。",
    `Bluetooth をいったんオフにしてからオンにしてください。${TWICE}`,
  ),
  secure_session_failed: text(
    "安全な接続を確立できませんでした。",
    "タグをさらに近づけて、もう一度お試しください。",
  ),
  client_refused: text("タグがこの端末を受け付けませんでした。", SIGN_IN),
  token_refused: text("タグが書き込みの許可を受け付けませんでした。", AGAIN),
  write_refused: text("タグが表示内容を受け付けなかったため、表示は前のままです。", AGAIN),
  low_battery: text("タグの電池残量が少なく、表示を変更できません。", "充電するか、電池を交換してください。"),
  tag_busy: text(
    "タグは処理中か、ボタンが押されるのを待っています。",
    "タグのボタンを押し、数秒待ってから、もう一度お試しください。",
  ),
  lockout: text("拒否が続いたため、タグがロックされました。", "5分待ってから、もう一度お試しください。"),
  protocol: text("タグの応答を理解できませんでした。", TWICE),
  outcome_unknown: text(
    "表示の変更中に接続が切れました。",
    "タグをご覧ください。目的地が表示されていなければ、もう一度お試しください。",
  ),
  custody_proof_cancelled: text(
    "このタグはまだ別の旅程にロックされています。",
    "持ち主に情報を確認するか、別のタグをお使いください。",
  ),
  custody_proof_needed: text(
    "このタグは別の旅程にロックされています。",
    "その旅程の予約番号と姓を入力してロックを解除するか、別のタグをお使いください。",
  ),
  custody_proof_attempts_exceeded: text(
    "このタグの残り回数がありません。",
    "別のタグをお使いください。または持ち主のお客様に確認し、15分後にもう一度お試しください。持ち主の方は引き続き使えます。",
  ),
  tag_carries_other_bag: text(
    "このタグは別の手荷物に使われています。",
    "別のタグをお使いになるか、このタグを付け替えてください。",
  ),
  tag_shows_other_label: text(
    "このタグには他の方の内容が表示されています。",
    "別のタグをお使いになるか、書き換える前に持ち主をご確認ください。",
  ),
  custody_proof_required: text(
    "このタグは、ここで開いていない旅程にロックされています。",
    "お客様の旅程の場合は、先にここで旅程を検索してください。それ以外は、その旅程のお客様だけが行えます。",
  ),
  custody_proof_invalid: text(
    "入力された情報がタグの旅程と一致しません。",
    "両方の欄を確認して、もう一度お試しください。",
  ),
  device_locked: text(
    "このタグは別の旅程にロックされたところです。",
    "別のタグを使うか、先にこのタグのロックを解除してください。",
  ),
  not_lock_holder: text(
    "このタグは別のお客様の旅程のものです。",
    "消去できるのは、そのお客様か航空会社のスタッフだけです。",
  ),
  device_lost: text("このタグには紛失の届け出があります。", "航空会社のスタッフにお渡しください。"),
  too_many_attempts: text("試行回数が多すぎます。", "数分待ってから、もう一度お試しください。"),
  too_many_requests: text("リクエストが多すぎます。", MINUTE),
  journey_not_found: text("旅程が見つかりません。", "予約番号と姓をご確認ください。"),
  baggage_not_found: text(
    "この手荷物は旅程に含まれなくなりました。",
    "旅程に戻り、手荷物を選び直してください。",
  ),
  airline_required: text(
    "この予約番号と姓の予約が複数の航空会社にあります。",
    "ご利用の航空会社をお選びください。便名の最初の文字です。",
  ),
  delegation_ended: text(
    "このコードは無効か期限切れです。または許可が終了しました。",
    "もう一方のスマートフォンで新しいコードを表示してもらってください。",
  ),
  device_not_found: text("このタグはここに登録されていません。", "別のタグをお使いください。"),
  payload_mismatch: text(
    "旅程がたった今変更されました。",
    "旅程に戻り、内容を確認してもう一度書き込んでください。",
  ),
  bag_limit: text("この旅程にはすでに手荷物が10個あります。", HELP),
  bag_refused: text(
    "航空会社は、ここではこの手荷物をお受けしていません。",
    "航空会社のカウンターへお越しください。",
  ),
  invalid_bcbp_format: text("この搭乗券を読み取れません。", "代わりに予約番号を入力してください。"),
  invalid_bsm_format: text("この手荷物メッセージを読み取れません。", "発信元で修正してください。"),
  unauthorized_client: text("このページはサービスを利用するよう設定されていません。", OPERATOR),
  unauthorized_token: text("セッションの有効期限が切れました。", SIGN_IN),
  invalid_federated_token: text(
    "航空会社のアプリでサインインできませんでした。",
    "アプリでもう一度サインインしてください。",
  ),
  invalid_nonce: text("サインインに時間がかかりすぎました。", AGAIN),
  invalid_attestation: text(
    "この端末を確認できませんでした。",
    "もう一度お試しください。繰り返す場合は、ブラウザーを更新してください。",
  ),
  invalid_credentials: text(
    "ユーザー名またはパスワードが正しくありません。",
    "両方を入力し直すか、この機器の管理者にお尋ねください。",
  ),
  invalid_refresh_token: text("セッションが終了しました。", SIGN_IN),
  invalid_dpop_proof: text(
    "この端末の署名が受け付けられませんでした。",
    "日付と時刻が正しいか確認して、もう一度お試しください。",
  ),
  insufficient_scope: text("ここではこの操作を行えません。", HELP),
  required_info_not_provided: text(
    "入力されていない項目があります。",
    "すべての欄に入力して、もう一度お試しください。",
  ),
  stale_statement: text("このタグはその後更新されています。", "タグを近づけて、もう一度お試しください。"),
  stale_attachment: text("このタグはその後更新されています。", "何もする必要はありません。"),
  gatt_version_refused: text(
    "このタグには安全な接続で書き込む必要があります。",
    "タグをさらに近づけて、もう一度お試しください。",
  ),
  idempotency_in_flight: text("同じリクエストを処理中です。", "1秒待ってから、もう一度お試しください。"),
  idempotency_key_reused: text("同じリクエストが異なる内容で繰り返されました。", UPDATE),
  not_found: text("サービスがこのリクエストに対応していません。", UPDATE),
  method_not_allowed: text("ページとサービスのバージョンが合っていません。", UPDATE),
  payload_too_large: text("リクエストが大きすぎます。", UPDATE),
  unsupported_media_type: text("ページとサービスのバージョンが合っていません。", UPDATE),
  internal_error: text("サービスでエラーが発生しました。", MINUTE),
  service_unavailable: text("現在サービスを利用できません。", MINUTE),
  network: text("サービスに接続できません。", ONLINE),
  service_timeout: text("サービスの応答に時間がかかりすぎました。", AGAIN),
  never_confirmed: text(
    "2週間、このタグについて航空会社に知らせることができませんでした。",
    "タグをもう一度書き込むか、消去してください。",
  ),
  invalid_answer: text("サービスの応答を理解できませんでした。", UPDATE),
  configuration_unavailable: text("サービスに接続できません。", ONLINE),
  configuration_invalid: text("このページの設定が正しくありません。", OPERATOR),
  no_tag_roots: text("このページには信頼するタグが設定されていません。", OPERATOR),
  no_client_key: text("このページはサービスを利用するよう設定されていません。", OPERATOR),
  storage_unavailable: text(
    "ブラウザーの設定により、このページは鍵を保存できません。",
    "プライベートブラウズを終了するか保存を許可して、もう一度お試しください。",
  ),
  passkeys_unsupported: text(
    "このブラウザーではパスキーを使用できません。",
    "パスキーなしで進むか、新しいブラウザーでこのページを開いてください。",
  ),
  passkey_refused: text("パスキーを使用できませんでした。", "もう一度試すか、パスキーなしで進んでください。"),
} satisfies ErrorWords;
