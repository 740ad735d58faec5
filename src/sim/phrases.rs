//! The fixed phrases of page templates, in both languages.

/// What a template says around the text.
pub(super) struct Phrases {
    pub(super) lang: &'static str,
    pub(super) home: &'static str,
    pub(super) related: &'static str,
    pub(super) sponsored: &'static str,
    pub(super) footer: &'static str,
    pub(super) slogans: [&'static str; 6],
    pub(super) comma: &'static str,
    pub(super) stop: &'static str,
    pub(super) question: &'static str,
    pub(super) space: &'static str,
    pub(super) missing: &'static str,
}

pub(super) const ENGLISH: Phrases = Phrases {
    lang: "en",
    home: "Home",
    related: "See also",
    sponsored: "Advertisement",
    footer: "All rights reserved. Contact us | Privacy | Terms of use",
    slogans: [
        "Save 30% on your first order today!",
        "Sign up for our free newsletter",
        "Best prices guaranteed, click here",
        "New arrivals every week, shop now",
        "You will not believe this simple trick",
        "Download our app and win a prize",
    ],
    comma: ",",
    stop: ".",
    question: "?",
    space: " ",
    missing: "Not Found: the requested page does not exist on this server.",
};

pub(super) const CHINESE: Phrases = Phrases {
    lang: "zh-CN",
    home: "首页",
    related: "相关文章",
    sponsored: "广告",
    footer: "版权所有 联系我们 | 隐私政策 | 使用条款",
    slogans: [
        "限时优惠，全场七折起！",
        "免费注册会员，立即领取礼包",
        "点击这里查看最低价格",
        "每周新品上架，欢迎选购",
        "你绝对想不到的省钱方法",
        "下载客户端，赢取大奖",
    ],
    comma: "，",
    stop: "。",
    question: "？",
    space: "",
    missing: "找不到网页：您访问的页面不存在。",
};

/// Every character that [`CHINESE`] and the templates use, for the table of GBK codes.
pub(super) const CHINESE_CHARACTERS: &str = "首页相关文章广告版权所有联系我们隐私政策使用条款限时优惠，全场七折起！\
免费注册会员立即领取礼包点击这里查看最低价格每周新品上架欢迎选购你绝对想不到的省钱方法下载客户端赢取大奖。？找网页：您访问的面不存在";
