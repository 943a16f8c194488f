/** 简体中文：错误。Terms as in glossary.md. */
import type { ErrorWords } from "./dictionary.ts";
import { text } from "./forms.ts";

const AGAIN = "请重试。";
const OPERATOR = "请使用纸质行李牌，并告知航空公司工作人员。";
const SIGN_IN = "请返回首页，重新查找您的行程。";
const UPDATE = "请重新加载页面以获取最新版本。";
const CHECKED = "请勿在本次行程中使用它，并将其送去检查。";
const CLOSER = "请将行李牌靠近此设备，然后重试。";
const TWICE = "请重试。如果再次发生，请将行李牌送去检查。";
const SECONDS = "请等待几秒钟，然后重试。";
const MINUTE = "请一分钟后重试。";
const ONLINE = "请确认已连接网络，然后重试。";
const HELP = "请向航空公司工作人员求助。";

export const errors = {
  cancelled: text("已取消。", "未做任何更改。"),
  invalid_request: text("此请求有误。", "请检查您输入的内容，然后重试。"),
  busy: text("此行李牌正在处理中。", "请等待处理完成，然后重试。"),
  unknown_device: text("本页面与行李牌失去了连接。", "请重新选择您的行李牌。"),
  outbox_not_empty: text("您的一个行李牌仍在确认中。", "请保持联网片刻，然后退出登录。"),
  clock_wrong: text("此设备的日期或时间似乎不正确。", "请在设置中将日期和时间设为自动，然后重试。"),
  internal: text("发生了意外错误。", "请重试。如果再次发生，请向工作人员出示“详细信息”中的代码。"),
  unsupported: text(
    "此浏览器无法与行李牌通信。",
    "请在安卓、Windows、Mac 或 ChromeOS 上用 Chrome 或 Edge 打开本页面。",
  ),
  insecure_context: text("本页面不是以安全方式打开的。", "请用以 https 开头的地址重新打开。"),
  blocked_by_policy: text(
    "您所在的组织或此浏览器的设置禁用了蓝牙。",
    "请在设置中允许此网站使用蓝牙。如果无法更改，请联系此设备的管理人员。",
  ),
  bluetooth_off: text("蓝牙已关闭，或此设备没有蓝牙功能。", "请在设置中打开蓝牙，或使用其他设备。"),
  bluetooth_unavailable: text(
    "蓝牙已关闭，或此浏览器无权使用蓝牙。",
    "请在设置中打开蓝牙。如果已打开，请联系此设备的管理人员。",
  ),
  permission_refused: text("本页面无权使用蓝牙。", "请在设置中允许此浏览器访问附近的设备，然后重试。"),
  needs_user_gesture: text("只有点按后才会打开行李牌列表。", "请再次点按按钮。"),
  out_of_reach: text("行李牌没有响应。", "请按行李牌上的按钮唤醒它，靠近此设备，然后重试。"),
  link_lost: text("与行李牌的连接已中断。", CLOSER),
  timeout: text("行李牌响应时间过长。", CLOSER),
  not_a_tag: text("该设备不是可识别的行李牌。", "请选择名称以 EBT 开头的设备。"),
  operation_refused: text("行李牌拒绝了此设备的操作。", TWICE),
  link_busy: text("此设备的蓝牙正忙。", SECONDS),
  wrong_tag: text("这不是您选择的行李牌。", "请核对行李牌上印的编号，然后重新选择。"),
  untrusted_tag: text("此行李牌无法证明是正品。", CHECKED),
  generation_refused: text("此行李牌使用的连接方式已过时。", CHECKED),
  outdated_table: text("此设备仍保留着行李牌更新前的信息。", `请先关闭再打开蓝牙。${TWICE}`),
  secure_session_failed: text("无法建立安全连接。", "请将行李牌靠得更近，然后重试。"),
  client_refused: text("行李牌未接受此设备。", SIGN_IN),
  token_refused: text("行李牌未接受写入许可。", AGAIN),
  write_refused: text("行李牌未接受行李信息，仍显示原来的内容。", AGAIN),
  low_battery: text("行李牌电量过低，无法更新显示屏。", "请为其充电或更换电池。"),
  tag_busy: text("行李牌正忙，或正在等待按下其按钮。", "请按下行李牌上的按钮，等待几秒钟，然后重试。"),
  lockout: text("多次尝试被拒后，行李牌已自行锁定。", "请等待五分钟，然后重试。"),
  protocol: text("行李牌返回了无法理解的应答。", TWICE),
  outcome_unknown: text("显示屏更新时连接中断。", "请查看行李牌。如果未显示您的目的地，请重试。"),
  custody_proof_cancelled: text("此行李牌仍锁定于另一行程。", "请向其主人询问相关信息，或使用其他行李牌。"),
  custody_proof_needed: text(
    "此行李牌已锁定于另一行程。",
    "请输入该行程的预订编号和姓氏以解锁，或使用其他行李牌。",
  ),
  custody_proof_attempts_exceeded: text(
    "此行李牌已无剩余次数。",
    "请使用其他行李牌。或询问行李牌所属的旅客，15 分钟后再试；该旅客仍可使用。",
  ),
  tag_carries_other_bag: text("此行李牌已用于另一件行李。", "请使用其他行李牌，或改用此行李牌。"),
  tag_shows_other_label: text(
    "此行李牌显示的是他人的行李信息。",
    "请使用其他行李牌，或在覆盖之前询问它属于谁。",
  ),
  custody_proof_required: text(
    "此行李牌已锁定于一个未在此打开的行程。",
    "如果这是您的行程，请先在此查找该行程。否则只有该行程的旅客可以执行此操作。",
  ),
  custody_proof_invalid: text("这些信息与行李牌上的行程不符。", "请检查填写的两项内容，然后重试。"),
  device_locked: text("此行李牌刚刚被锁定于另一行程。", "请使用其他行李牌，或先解锁此行李牌。"),
  not_lock_holder: text("此行李牌属于另一位旅客的行程。", "只有该旅客或航空公司工作人员可以清除。"),
  device_lost: text("此行李牌已挂失。", "请将其交给航空公司工作人员。"),
  too_many_attempts: text("尝试次数过多。", "请等待几分钟，然后重试。"),
  too_many_requests: text("请求过多。", "请等待一分钟，然后重试。"),
  journey_not_found: text("找不到此行程。", "请检查预订编号和姓氏。"),
  baggage_not_found: text("此行李已不在该行程中。", "请返回您的行程，重新选择行李。"),
  airline_required: text("多家航空公司都有此编号和姓氏的预订。", "请选择您的航空公司，即航班号开头的代码。"),
  delegation_ended: text("此二维码无效或已失效，或授权已结束。", "请在另一部手机上显示新的二维码。"),
  device_not_found: text("此行李牌未在此登记。", "请使用其他行李牌。"),
  payload_mismatch: text("您的行程刚刚发生了变化。", "请返回您的行程，核对行李信息后重新写入。"),
  bag_limit: text("此行程已有十件行李。", HELP),
  bag_refused: text("您的航空公司不在此接受这件行李。", "请前往其柜台。"),
  invalid_bcbp_format: text("无法读取此登机牌。", "请改为输入预订编号。"),
  invalid_bsm_format: text("无法读取此行李报文。", "请在消息来源处更正。"),
  unauthorized_client: text("本页面尚未设置为可使用该服务。", OPERATOR),
  unauthorized_token: text("您的会话已过期。", SIGN_IN),
  invalid_federated_token: text("航空公司应用未能为您登录。", "请在该应用中重新登录。"),
  invalid_nonce: text("登录耗时过长。", AGAIN),
  invalid_attestation: text("无法识别此设备。", "请重试。如果再次发生，请更新您的浏览器。"),
  invalid_credentials: text("用户名或密码错误。", "请重新输入用户名和密码，或咨询此自助机的管理人员。"),
  invalid_refresh_token: text("您的会话已结束。", SIGN_IN),
  invalid_dpop_proof: text("服务不接受此设备的签名。", "请检查日期和时间是否正确，然后重试。"),
  insufficient_scope: text("您无法在此执行此操作。", HELP),
  required_info_not_provided: text("缺少信息。", "请填写所有项目，然后重试。"),
  stale_statement: text("此行李牌随后已更新。", "请将其靠近，然后重试。"),
  stale_attachment: text("此行李牌随后已更新。", "您无需任何操作。"),
  gatt_version_refused: text("此行李牌必须通过安全连接写入。", "请将其靠得更近，然后重试。"),
  idempotency_in_flight: text("同一请求仍在处理中。", "请等待一秒钟，然后重试。"),
  idempotency_key_reused: text("页面重复发送了内容不同的同一请求。", UPDATE),
  not_found: text("服务无法识别此请求。", UPDATE),
  method_not_allowed: text("页面与服务不匹配。", UPDATE),
  payload_too_large: text("请求过大。", UPDATE),
  unsupported_media_type: text("页面与服务不匹配。", UPDATE),
  internal_error: text("我们这边出了问题。", MINUTE),
  service_unavailable: text("服务暂时不可用。", MINUTE),
  network: text("无法连接到服务。", ONLINE),
  service_timeout: text("服务响应时间过长。", AGAIN),
  never_confirmed: text("两周内一直无法将此行李牌的情况告知航空公司。", "请重新写入或清除行李牌。"),
  invalid_answer: text("服务返回了本页面无法理解的应答。", UPDATE),
  configuration_unavailable: text("页面无法连接到服务。", ONLINE),
  configuration_invalid: text("本页面的设置不正确。", OPERATOR),
  no_tag_roots: text("本页面尚未设置信任任何行李牌。", OPERATOR),
  no_client_key: text("本页面尚未设置为可使用该服务。", OPERATOR),
  storage_unavailable: text("您的浏览器不允许本页面保存密钥。", "请退出无痕浏览或允许存储，然后重试。"),
  passkeys_unsupported: text(
    "此浏览器无法在此使用通行密钥。",
    "请在不使用通行密钥的情况下继续，或在更新的浏览器中打开本页面。",
  ),
  passkey_refused: text("您的通行密钥无法使用。", "请重试，或不使用通行密钥继续。"),
} satisfies ErrorWords;
