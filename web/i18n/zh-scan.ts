/** The texts of scanning a boarding pass in zh, a part of zh-passenger.ts. */
import { text } from "./forms.ts";

const TYPE = "请选择照片，或改为输入预订编号。";

export const scan = {
  title: "扫描您的登机牌",
  lead: "用摄像头读取纸质或屏幕上登机牌的二维码或条形码。",
  privacy:
    "浏览器现在会询问本页面是否可以使用摄像头。图像只保留在此设备上；仅发送条码中的文字，用于查找您的行程。",
  open: "打开摄像头",
  opening: "正在打开摄像头…",
  picture: "摄像头画面",
  aim: "请将整个条码放入框内。",
  searching: "正在寻找条码…",
  slow: "还没有识别到？请靠近一些、避免反光，或选择照片。",
  finding: "条码已读取。正在查找您的行程…",
  lightOn: "开灯",
  lightOff: "关灯",
  stop: "关闭摄像头",
  photo: "选择照片",
  readingPhoto: "正在读取照片…",
  type: "改为输入预订编号",
  again: "重新扫描",
};

export const camera = {
  refused: text("本页面无权使用摄像头。", "请在浏览器设置中允许本页面使用摄像头，或选择照片。"),
  blocked: text("您所在的组织禁用了摄像头。", TYPE),
  missing: text("此设备没有可在此使用的摄像头。", TYPE),
  busy: text("另一个应用正在使用摄像头。", "请关闭该应用，然后重试。"),
  lost: text("摄像头已停止。", "请重新打开。"),
  reader_unavailable: text("无法加载条码读取功能。", "请确认已连接网络，然后重试。"),
  no_code: text("这张照片中没有可读取的条码。", "请选择显示完整条码的清晰照片。"),
  not_boarding_pass: text("该条码不是登机牌上的条码。", "请出示航空公司打印或发送给您的登机牌条码。"),
  not_a_picture: text("此文件不是图片。", "请选择登机牌的照片或截屏。"),
};
